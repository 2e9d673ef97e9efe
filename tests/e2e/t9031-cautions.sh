#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
test_description='kport port: drivers that compile on 7.2 as they are and behave otherwise there'

caller_cache=${KPORT_CACHE_HOME:-${XDG_CACHE_HOME:-$HOME/.cache}/kport}
# shellcheck source=tests/test-lib.sh
. "$(dirname "$0")/../test-lib.sh"

export KPORT_CACHE_HOME=$caller_cache
for k in 6.12 7.2; do
  kport kernel show --json $k >kernel-$k.json 2>/dev/null || test_skip_all "no kernel $k; try 'kport kernel add $k --with-image'"
done
case $(test_json kernel-7.2.json .image) in "" | null) test_skip_all "kernel 7.2 has no image" ;; esac

mkdir queue video
echo 'obj-m := queue.o' >queue/Kbuild
cat >queue/queue.c <<\EOC
#include <linux/module.h>
#include <linux/workqueue.h>

static struct workqueue_struct *wq;

static void nothing(struct work_struct *w)
{
}
static DECLARE_WORK(work, nothing);

static int __init queue_init(void)
{
	wq = alloc_workqueue("kport", WQ_MEM_RECLAIM, 0);
	if (!wq)
		return -ENOMEM;
	queue_work(system_wq, &work);
	return 0;
}

static void __exit queue_exit(void)
{
	cancel_work_sync(&work);
	destroy_workqueue(wq);
}
module_init(queue_init);
module_exit(queue_exit);
MODULE_DESCRIPTION("a work queue");
MODULE_LICENSE("GPL");
EOC
echo 'obj-m := video.o' >video/Kbuild
cat >video/video.c <<\EOC
#include <linux/module.h>
#include <media/v4l2-dev.h>

static struct video_device vd;

static int __init video_init(void)
{
	return video_register_device(&vd, VFL_TYPE_VIDEO, -1);
}
module_init(video_init);
MODULE_DESCRIPTION("a video device without a file handle");
MODULE_LICENSE("GPL");
EOC

test_expect_success 'as it is the kernel warns when it is loaded' '
  test_expect_code 1 kport boot --driver queue --kernel 7.2 --json >out.json && test_json out.json .gates.load.verdict FAIL &&
  test_json out.json .gates.load.reason "WARNING in queue_init"
'

test_expect_success 'the port names its queues, and every gate passes' '
  kport port queue --from 6.12 --to 7.2 --json >out.json && test_json out.json .outcome ported &&
  test_json out.json ".breakages#" 0 && test_json out.json ".patches#" 2 && test_json out.json ".cautions#" 0 &&
  test_json out.json .gates.load.verdict PASS && test_json out.json .gates.unload.verdict PASS &&
  test_grep "WQ_MEM_RECLAIM | WQ_PERCPU, 0" port-queue/tree/queue.c &&
  test_grep "queue_work(system_percpu_wq, &work)" port-queue/tree/queue.c
'

test_expect_success 'what is only reported makes it one to review, with its place' '
  kport port video --from 6.12 --to 7.2 --no-boot --json >out.json &&
  test_json out.json .outcome "ported, review these edits" && test_json out.json ".patches#" 0 &&
  test_json out.json ".cautions[0].file" video.c && test_json out.json ".cautions[0].line" 8 &&
  test_json out.json ".cautions[0].rule" fh-open && test_grep "Compiles and behaves otherwise" port-video/report.html
'

test_expect_success 'not where the old kernel does the same, and not without cautions' '
  kport port queue --from 7.2 --to 7.2 --no-boot --out same-queue --json >out.json && test_json out.json .outcome "nothing to port" &&
  kport port video --from 7.2 --to 7.2 --no-boot --out same --json >out.json && test_json out.json .outcome "nothing to port" &&
  kport port queue --from 6.12 --to 7.2 --no-boot --without cautions --out none --json >out.json &&
  test_json out.json .outcome "nothing to port"
'

test_done
