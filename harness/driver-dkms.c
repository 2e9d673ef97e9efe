// SPDX-License-Identifier: GPL-2.0-only
/*
 * DKMS packages. dkms.conf is a shell script: it is sourced by bash in the
 * sandbox with the variables that DKMS 3 sets, and a fixed script prints what it
 * left behind. Sources of fact: dkms(8), section DKMS.CONF.
 */
#include "base/compat.h"
#include <ctype.h>
#include "base/alloc.h"
#include "base/error.h"
#include "base/file.h"
#include "harness/driver-internal.h"
#include "harness/kbuild.h"
#include "harness/sandbox.h"

#define DKMS_TREE "/var/lib/dkms"
#define SOURCE_TREE "/usr/src"
#define MAX_CONF (1u << 20)
#define EVAL_SECONDS 15
#define MAX_MODULES 500

/*
 * $1 conf, $2 kernel release, $3 arch, $4 build tree. Prints NAME=value words
 * separated by NUL. MAKE, PATCH: the entries whose _MATCH fits the kernel.
 */
static const char eval_script[] =
	"conf=$1 kernelver=$2 arch=$3 kernel_source_dir=$4\n"
	"dkms_tree=" DKMS_TREE " source_tree=" SOURCE_TREE " kernel_config=$4/.config\n"
	"module=$5 module_version=$6\n"
	"set --\n"
	"unset MAKE CLEAN\n"
	"{ . \"$conf\"; } >/dev/null || echo \"kport: dkms.conf ended with $?\" >&2\n"
	"put() { printf '%s=%s\\0' \"$1\" \"$2\"; }\n"
	"put name \"$PACKAGE_NAME\"; put version \"$PACKAGE_VERSION\"\n"
	"make=; for i in \"${!MAKE[@]}\"; do\n"
	"  [ -n \"${MAKE[$i]}\" ] || continue\n"
	"  if [ -z \"${MAKE_MATCH[$i]}\" ]; then [ -n \"$make\" ] || make=${MAKE[$i]}\n"
	"  elif [[ $kernelver =~ ${MAKE_MATCH[$i]} ]]; then make=${MAKE[$i]}; fi\n"
	"done\n"
	"put make \"$make\"; put clean \"$CLEAN\"; put pre_build \"$PRE_BUILD\"\n"
	"for i in \"${!PATCH[@]}\"; do\n"
	"  [ -n \"${PATCH[$i]}\" ] || continue\n"
	"  if [ -z \"${PATCH_MATCH[$i]}\" ] || [[ $kernelver =~ ${PATCH_MATCH[$i]} ]]; then\n"
	"    put patch \"${PATCH[$i]}\"; fi\n"
	"done\n"
	"n=${#BUILT_MODULE_NAME[@]}\n"
	"if [ \"$n\" = 0 ]; then put built \"$PACKAGE_NAME\"; put location \"${BUILT_MODULE_LOCATION[0]}\"; fi\n"
	"for i in \"${!BUILT_MODULE_NAME[@]}\"; do\n"
	"  put built \"${BUILT_MODULE_NAME[$i]}\"; put location \"${BUILT_MODULE_LOCATION[$i]}\"\n"
	"done\n"
	"no() { put exclusive \"$1\"; }\n"
	"if [ -n \"$BUILD_EXCLUSIVE_KERNEL\" ]; then [[ $kernelver =~ $BUILD_EXCLUSIVE_KERNEL ]] ||\n"
	"  no \"BUILD_EXCLUSIVE_KERNEL=$BUILD_EXCLUSIVE_KERNEL\"; fi\n"
	"if [ -n \"$BUILD_EXCLUSIVE_ARCH\" ]; then [[ $arch =~ $BUILD_EXCLUSIVE_ARCH ]] ||\n"
	"  no \"BUILD_EXCLUSIVE_ARCH=$BUILD_EXCLUSIVE_ARCH\"; fi\n"
	"older() { [ \"$1\" != \"$2\" ] && printf '%s\\n%s\\n' \"$1\" \"$2\" | sort -V -C; }\n"
	"if [ -n \"$BUILD_EXCLUSIVE_KERNEL_MIN\" ] && older \"$kernelver\" \"$BUILD_EXCLUSIVE_KERNEL_MIN\"; then\n"
	"  no \"BUILD_EXCLUSIVE_KERNEL_MIN=$BUILD_EXCLUSIVE_KERNEL_MIN\"; fi\n"
	"if [ -n \"$BUILD_EXCLUSIVE_KERNEL_MAX\" ] && older \"$BUILD_EXCLUSIVE_KERNEL_MAX\" \"$kernelver\"; then\n"
	"  no \"BUILD_EXCLUSIVE_KERNEL_MAX=$BUILD_EXCLUSIVE_KERNEL_MAX\"; fi\n"
	"for c in $BUILD_EXCLUSIVE_CONFIG; do\n"
	"  case $c in\n"
	"  !*) grep -q \"^${c#!}=[ym]\" \"$kernel_config\" && no \"BUILD_EXCLUSIVE_CONFIG: $c\" ;;\n"
	"  *) grep -q \"^$c=[ym]\" \"$kernel_config\" || no \"BUILD_EXCLUSIVE_CONFIG: $c is not set\" ;;\n"
	"  esac\n"
	"done\n"
	"put end 1\n";

/* NAME=value of a line "PACKAGE_NAME=..." of the text, without running it. */
static char *static_value(const char *text, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = text; p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
		const char *v = p + strspn(p, " \t");
		size_t len;

		if (strncmp(v, name, n) || v[n] != '=')
			continue;
		v += n + 1;
		v += *v == '"' || *v == '\'';
		len = strcspn(v, "\"'\r\n \t");
		if (len && !memchr(v, '$', len) && !memchr(v, '`', len))
			return xstrndup(v, len);
	}
	return NULL;
}

int driver_load_dkms(struct driver *d, const char *input, struct strbuf *err)
{
	struct strbuf text = STRBUF_INIT;
	char *conf = path_join(input, "dkms.conf"), *name;
	int ret = file_read(conf, MAX_CONF, &text, err);

	d->kind = DRIVER_DKMS;
	if (!ret)
		ret = driver_copy_tree(input, d->tree, err);
	name = ret < 0 ? NULL : static_value(text.buf, "PACKAGE_NAME");
	if (name) {
		free(d->name);
		d->name = name;
	}
	if (!ret)
		d->version = static_value(text.buf, "PACKAGE_VERSION");
	/* A source package's template: the version is put in when it is built. */
	if (d->version && *d->version == '#') {
		free(d->version);
		d->version = NULL;
	}
	free(conf);
	strbuf_release(&text);
	return ret;
}

static char *replace_all(char *text, const char *what, const char *with)
{
	struct strbuf out = STRBUF_INIT;
	size_t n = strlen(what);
	const char *p = text, *hit;

	for (; (hit = strstr(p, what)) != NULL; p = hit + n) {
		strbuf_add(&out, p, hit - p);
		strbuf_addstr(&out, with);
	}
	strbuf_addstr(&out, p);
	free(text);
	return strbuf_detach(&out, NULL);
}

static const char *version_word(const struct driver *d)
{
	return d->version ? d->version : "0";
}

/* End of "@WORD@" that starts at s, or NULL. */
static const char *placeholder_end(const char *s)
{
	const char *p = s + 1;

	if (*s != '@')
		return NULL;
	while (isupper((unsigned char)*p) || isdigit((unsigned char)*p) || *p == '_')
		p++;
	return p > s + 1 && *p == '@' ? p + 1 : NULL;
}

/*
 * The command as it is run. What the package's own "make dkms-install" would have filled
 * in is empty, as there. SUBDIRS=, which kernels before 5.3 took, is M= now (Kbuild's
 * refusal names the one for the other).
 */
static char *mend(char *value)
{
	struct strbuf out = STRBUF_INIT;

	for (const char *p = value; *p;) {
		const char *behind = placeholder_end(p), *rest;

		if (behind) {
			p = behind;
		} else if ((p == value || isspace((unsigned char)p[-1])) && skip_prefix(p, "SUBDIRS=", &rest)) {
			strbuf_addstr(&out, "M=");
			p = rest;
		} else {
			strbuf_addch(&out, *p++);
		}
	}
	free(value);
	return strbuf_detach(&out, NULL);
}

char *driver_dkms_command(const struct driver *d, const char *text)
{
	char *out = xstrdup(text);
	char *build = xstrfmt("%s/%s/%s/build", DKMS_TREE, d->name, version_word(d));
	char *source = xstrfmt("%s/%s/%s/source", DKMS_TREE, d->name, version_word(d));
	char *package = xstrfmt("%s/%s-%s", SOURCE_TREE, d->name, version_word(d));

	out = replace_all(out, build, d->tree);
	out = replace_all(out, source, d->tree);
	if (!d->version) { /* a version that only an installation knows is no directory here */
		free(build);
		build = xstrfmt("%s/%s//build", DKMS_TREE, d->name);
		out = replace_all(out, build, d->tree);
	}
	out = replace_all(out, package, d->tree);
	free(build);
	free(source);
	free(package);
	return mend(out);
}

static void set(char **slot, const char *value)
{
	free(*slot);
	*slot = *value ? xstrdup(value) : NULL;
}

static void forget(struct driver *d)
{
	char **fields[] = { &d->configured, &d->make_command, &d->clean_command, &d->pre_build,
			    &d->exclusive };

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		free(*fields[i]);
		*fields[i] = NULL;
	}
	strvec_clear(&d->patches);
	for (size_t i = 0; i < d->nmodules; i++) {
		free(d->modules[i].name);
		free(d->modules[i].location);
	}
	free(d->modules);
	d->modules = NULL;
	d->nmodules = 0;
}

/* "./drivers/x/" to "drivers/x". */
static char *clean_location(const char *s)
{
	char *out;
	size_t n;

	while (starts_with(s, "./"))
		s += 2 + strspn(s + 2, "/");
	s += strspn(s, "/");
	out = xstrdup(strcmp(s, ".") ? s : "");
	for (n = strlen(out); n && out[n - 1] == '/'; n--)
		out[n - 1] = '\0';
	return out;
}

static int take_word(struct driver *d, const char *name, const char *value, char **built,
		     struct strbuf *err)
{
	char *location;

	if (!strcmp(name, "name") && *value) {
		set(&d->name, value);
	} else if (!strcmp(name, "version") && *value && *value != '#') {
		set(&d->version, value);
	} else if (!strcmp(name, "make")) {
		set(&d->make_command, value);
	} else if (!strcmp(name, "clean")) {
		set(&d->clean_command, value);
	} else if (!strcmp(name, "pre_build")) {
		set(&d->pre_build, value);
	} else if (!strcmp(name, "exclusive") && !d->exclusive) {
		d->exclusive = xstrfmt("dkms.conf excludes this kernel: %s", value);
	} else if (!strcmp(name, "patch")) {
		if (!path_is_safe(value))
			return kp_fail(err, KP_ERR, "dkms.conf names a patch outside 'patches': '%s'", value);
		strvec_push(&d->patches, value);
	} else if (!strcmp(name, "built")) {
		set(built, value);
	} else if (!strcmp(name, "location") && *built && d->nmodules < MAX_MODULES) {
		location = clean_location(value);
		if (!path_is_safe(*built) || (*location && !path_is_safe(location))) {
			free(location);
			return kp_fail(err, KP_ERR, "dkms.conf names a module outside the package: '%s%s'",
				       value, *built);
		}
		driver_add_module(d, *built, location);
		free(location);
	}
	return 0;
}

static int take_words(struct driver *d, const struct strbuf *out, struct strbuf *err)
{
	const char *p = out->buf, *end = out->buf + out->len;
	char *built = NULL;
	bool complete = false;
	int ret = 0;

	while (p < end && !ret) {
		size_t n = strnlen(p, end - p);
		const char *eq = memchr(p, '=', n);
		char *name;

		if (eq && p + n < end) {
			name = xstrndup(p, eq - p);
			ret = take_word(d, name, eq + 1, &built, err);
			complete |= !strcmp(name, "end");
			free(name);
		}
		p += n + 1;
	}
	free(built);
	if (!ret && !complete)
		ret = kp_fail(err, KP_ERR, "'%s': dkms.conf cannot be evaluated", d->origin);
	return ret;
}

static int evaluate(struct driver *d, const struct kernel *k, struct strbuf *err)
{
	struct sandbox sb = SANDBOX_INIT;
	struct strbuf out = STRBUF_INIT, text = STRBUF_INIT, blame = STRBUF_INIT;
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	char *conf = path_join(d->tree, "dkms.conf");
	int ret = kbuild_sandbox(k, NULL, NULL, &sb, err);

	if (ret < 0)
		goto out;
	strvec_push(&sb.ro, d->tree);
	sb.blame = &blame;
	strvec_pushl(&c.argv, "bash", "-c", eval_script, "kport", conf, k->release, k->arch, k->build_dir,
		     d->name, version_word(d), NULL);
	c.dir = d->tree;
	c.out = &out;
	c.err = &text;
	out.max = MAX_CONF;
	text.max = MAX_CONF;
	c.limits.wall_seconds = EVAL_SECONDS;
	c.limits.output_bytes = MAX_CONF;
	ret = sandbox_run(&sb, &c, &r, err);
	if (ret < 0)
		goto out;
	if (r.kind != CHILD_EXITED) {
		strbuf_addf(err, "'%s': dkms.conf: ", d->origin);
		if (blame.len)
			strbuf_addbuf(err, &blame);
		else
			child_describe(&r, err);
		ret = KP_ERR;
		goto out;
	}
	ret = take_words(d, &out, err);
	if (ret < 0 && text.len)
		strbuf_addf(err, " (%.*s)", (int)strcspn(text.buf, "\n"), text.buf);
out:
	free(conf);
	child_release(&c);
	sandbox_release(&sb);
	strbuf_release(&out);
	strbuf_release(&text);
	strbuf_release(&blame);
	return ret;
}

static int apply_patch(struct driver *d, const struct kernel *k, const char *name, struct strbuf *err)
{
	struct sandbox sb = SANDBOX_INIT;
	struct strbuf out = STRBUF_INIT;
	struct child c = CHILD_INIT;
	struct child_result r = { 0 };
	int ret = kbuild_sandbox(k, d->tree, NULL, &sb, err);

	if (!ret) {
		strvec_pushl(&c.argv, "patch", "-p1", "-f", "--no-backup-if-mismatch", "-i", NULL);
		strvec_pushf(&c.argv, "patches/%s", name);
		c.dir = d->tree;
		c.out = &out;
		c.err_to_out = true;
		out.max = 1 << 16;
		c.limits.wall_seconds = EVAL_SECONDS;
		ret = sandbox_run(&sb, &c, &r, err);
	}
	if (!ret && !child_ok(&r))
		ret = kp_fail(err, KP_ERR, "the package's own 'patches/%s' does not apply: %.*s", name,
			      (int)strcspn(out.buf, "\n"), out.buf);
	child_release(&c);
	sandbox_release(&sb);
	strbuf_release(&out);
	return ret;
}

int driver_dkms_configure(struct driver *d, const struct kernel *k, struct strbuf *err)
{
	int ret = 0;

	if (d->kind == DRIVER_INTREE)
		return driver_intree_configure(d, k, err);
	if (d->kind != DRIVER_DKMS)
		return 0;
	if (!d->configured || strcmp(d->configured, k->release)) {
		forget(d);
		ret = evaluate(d, k, err);
	}
	for (size_t i = 0; i < d->patches.n && !ret && !d->patched; i++)
		ret = apply_patch(d, k, d->patches.v[i], err);
	if (!ret) {
		d->patched = true;
		free(d->configured);
		d->configured = xstrdup(k->release);
	}
	return ret;
}
