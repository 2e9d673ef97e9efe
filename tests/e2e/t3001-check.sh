#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport check: the gates over drivers on a fake kernel'
. "$(dirname "$0")/../test-lib.sh"
. "$ROOT/tests/fake-kernel.sh"

test-tool sandbox -- true 2>/dev/null || test_skip_all 'no sandbox here'
fake_kernel k1 1 || exit 1
fake_kernel k2 2 || exit 1
test_lazy_prereq SPARSE 'command -v sparse' 'sparse is not installed'
test_lazy_prereq CLANG 'command -v clang' 'clang is not installed'
test_lazy_prereq SPATCH 'command -v spatch' 'coccinelle is not installed'

# gate JSON GATE KEY VALUE
gate() { test_json "$1" ".gates.$2.$3" "$4"; }

# A driver that no tool has anything to say about.
clean_driver() {
  mkdir -p "$1" && cat >"$1/widget.c" <<'END' && echo 'obj-m := widget.o' >"$1/Kbuild"
#include <linux/module.h>
#include <linux/widget.h>
static int my_probe(struct widget *w) { return 0; }
static const struct widget_ops ops = { .name = "my", .probe = my_probe };
int init_module(void);
int init_module(void) { return widget_register(&ops); }
MODULE_LICENSE("GPL");
END
}

test_expect_success 'a driver that builds passes compile and link' '
  clean_driver clean &&
  kport check clean --kernel k1 --gates compile,link --json >out.json &&
  test_json out.json .ok true &&
  gate out.json compile verdict PASS &&
  gate out.json compile data.units 1 &&
  gate out.json link verdict PASS &&
  gate out.json nodiag verdict "NOT RUN" &&
  test_path_is_missing clean/widget.ko
'

test_expect_success SPARSE,SPATCH 'and nodiag, with the tools named' '
  kport check clean --kernel k1 --no-boot >out &&
  test_grep "^compile  PASS" out && test_grep "^link     PASS" out &&
  test_grep "^nodiag   PASS.*1 file by sparse and 10 Coccinelle checks" out &&
  test_no_grep boot out && test_no_grep honest out
'

test_expect_success 'a driver of another API fails compile with its place; later gates are blocked' '
  widget_driver drv &&
  test_expect_code 1 kport check drv --kernel k2 --no-boot --json >out.json &&
  gate out.json compile verdict FAIL &&
  test_json out.json ".gates.compile.findings[0].file" widget.c &&
  test_json out.json ".gates.compile.findings[0].rule" error &&
  gate out.json link verdict SKIP &&
  gate out.json link reason "blocked: gate compile is FAIL" &&
  gate out.json nodiag verdict SKIP
'

test_expect_success 'the enclosing function of an error is named' '
  test_expect_code 1 kport check drv --kernel k2 --gates compile >out &&
  test_grep "function .my_remove." out
'

test_expect_success 'a missing symbol fails link' '
  clean_driver sym && printf "int gone_fn(int x);\nint use(void);\nint use(void) { return gone_fn(1); }\n" >>sym/widget.c &&
  test_expect_code 1 kport check sym --kernel k1 --gates compile,link --json >out.json &&
  gate out.json compile verdict PASS &&
  gate out.json link verdict FAIL &&
  test_json out.json ".gates.link.findings[0].rule" missing
'

test_expect_success 'a symbol that only the configuration hides is told apart' '
  cp -r k1 kc && printf "#ifdef CONFIG_SHY\nint shy_fn(int x);\n#endif\n" >>kc/include/linux/kernel.h &&
  clean_driver shy && printf "int shy_fn(int x);\nint use(void);\nint use(void) { return shy_fn(1); }\n" >>shy/widget.c &&
  test_expect_code 0 kport check shy --kernel kc --gates compile,link --json >out.json &&
  gate out.json link verdict SKIP &&
  test_grep "needs CONFIG_SHY, which is off" out.json
'

test_expect_success 'a symbol that the old kernel did not export either is configuration' '
  test_expect_code 0 kport check sym --kernel k2 --from k1 --gates compile,link --json >out.json &&
  gate out.json link verdict SKIP &&
  test_grep "is not exported by kernel" out.json
'

test_expect_success SPARSE,SPATCH 'without a baseline every finding counts, with one only the new' '
  clean_driver noisy && printf "int bare(void) { return 0; }\n" >>noisy/widget.c &&
  test_expect_code 1 kport check noisy --kernel k1 --gates compile,nodiag --json >out.json &&
  gate out.json nodiag verdict FAIL &&
  test_json out.json ".gates.nodiag.findings[0].tool" sparse &&
  kport check noisy --kernel k2 --from k1 --gates compile,nodiag --json >out.json &&
  gate out.json nodiag verdict PASS
'

test_expect_success 'a new warning of gcc is a finding' '
  clean_driver warn && printf "static int lonely(void) { return 0; }\n" >>warn/widget.c &&
  test_expect_code 1 kport check warn --kernel k1 --gates compile,nodiag --json >out.json &&
  gate out.json compile verdict PASS &&
  test_json out.json ".gates.nodiag.findings[0].rule" -Wunused-function
'

test_expect_success SPARSE,SPATCH,CLANG 'the analysers are asked for: both find a null pointer, and a baseline that has it takes it off' '
  clean_driver null && printf "int nul(int a);\nint nul(int a) { int *p = (void *)0; return a ? *p : 0; }\n" >>null/widget.c &&
  kport check null --kernel k1 --gates compile,nodiag --json >out.json &&
  test_expect_code 1 kport check null --kernel k1 --gates compile,nodiag --analyse --json --sarif f.sarif >out.json &&
  test_json out.json ".gates.nodiag.findings[0].rule" core.NullDereference &&
  test_json out.json ".gates.nodiag.findings[1].rule" -Wanalyzer-null-dereference &&
  test_json f.sarif .version 2.1.0 && test_json f.sarif ".runs[0].results#" 2 &&
  test_json f.sarif ".runs[0].results[0].locations[0].physicalLocation.artifactLocation.uri" widget.c &&
  kport check null --kernel k2 --from k1 --gates compile,nodiag --analyse --json >out.json &&
  gate out.json nodiag verdict PASS && gate out.json nodiag data.analyser_findings.clang 1 &&
  test_grep "analysed by gcc and clang" out.json
'

test_expect_success 'findings cannot be written: no answer is lost silently' '
  echo file >nowhere &&
  test_expect_code 128 kport check clean --kernel k1 --gates compile --sarif nowhere/at/f.sarif >out 2>err &&
  test_grep "compile.*PASS" out &&
  test_grep "nowhere/at" err
'

test_expect_success SPATCH 'a semantic check reports through the gate' '
  clean_driver alloc && cat >>alloc/widget.c <<-\END &&
	void *kmalloc(unsigned long n, int f);
	struct thing { int a; };
	int use(void);
	int use(void)
	{
		struct thing *t = kmalloc(sizeof(*t), 0);

		t->a = 1;
		return 0;
	}
	END
  test_expect_code 1 kport check alloc --kernel k1 --gates nodiag --json >out.json &&
  test_json out.json ".gates.nodiag.findings[0].tool" coccinelle &&
  test_json out.json ".gates.nodiag.findings[0].rule" unchecked-alloc &&
  test_json out.json ".gates.nodiag.findings[0].function" use
'

test_expect_success SPARSE,SPATCH 'a file that Coccinelle cannot read is unknown, never clean' '
  clean_driver odd && cat >>odd/widget.c <<-\END &&
	#define BEGIN_FN(n) int n(void); int n(void) {
	#define END_FN }
	BEGIN_FN(a) if (1) { return 1; } return 2; END_FN
	BEGIN_FN(b) if (1) { return 1; } return 2; END_FN
	BEGIN_FN(c) if (1) { return 1; } return 2; END_FN
	END
  test_expect_code 1 kport check odd --kernel k1 --gates compile,nodiag --json >out.json &&
  gate out.json nodiag verdict UNKNOWN &&
  test_grep "spatch parses" out.json
'

test_expect_success 'options that weaken warnings are named, and fail only against a baseline' '
  clean_driver weak && echo "ccflags-y := -Wno-error=incompatible-pointer-types -w" >>weak/Kbuild &&
  kport check weak --kernel k1 --gates compile --json >out.json &&
  test_json out.json ".gates.compile.data.weakened_by_the_driver#" 2
'

test_expect_success 'a DKMS package is checked as well' '
  clean_driver pkg && cat >pkg/dkms.conf <<-\END &&
	PACKAGE_NAME="widget"
	PACKAGE_VERSION="1.2"
	BUILT_MODULE_NAME[0]="widget"
	DEST_MODULE_LOCATION[0]="/updates"
	MAKE[0]="make -C ${kernel_source_dir} M=${dkms_tree}/${PACKAGE_NAME}/${PACKAGE_VERSION}/build modules"
	END
  kport check pkg --kernel k1 --gates compile,link --json >out.json &&
  test_json out.json .kind dkms && test_json out.json .version 1.2 && test_json out.json .ok true
'

test_expect_success '--out keeps trees and logs, nothing else is left behind' '
  kport check clean --kernel k1 --gates compile --out kept >out &&
  test_path_is_file kept/logs/driver/build.log &&
  test_path_is_file kept/work/driver/widget.ko &&
  kport check clean --kernel k1 --gates compile >out &&
  find "$XDG_CACHE_HOME/kport" -name "check-*" >left &&
  test_line_count = 0 left
'

test_expect_success 'wrong usage' '
  test_expect_code 129 kport check 2>err && test_grep "name one driver" err &&
  test_expect_code 129 kport check clean 2>err && test_grep "kernel list" err &&
  test_expect_code 129 kport check clean --kernel k1 --gates compile,lnik 2>err && test_grep "no gate .lnik." err &&
  test_expect_code 129 kport check clean --kernel k1 --gates honest 2>err && test_grep "kport port" err &&
  test_must_fail kport check /nonexistent --kernel k1 2>err && test_grep nonexistent err &&
  test_expect_code 128 kport check clean --kernel k1 --from k1 --before /nonexistent --out early 2>err && test_grep "there is no ./nonexistent" err &&
  test_line_count = 1 err && test_path_is_missing early &&
  test_must_fail kport check clean --kernel no-such 2>err && test_grep no-such err
'

test_done
