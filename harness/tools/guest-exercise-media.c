// SPDX-License-Identifier: GPL-2.0-only
/* Displays (a buffer is made and written), video devices (frames), sound (a stream moves). */
#define _GNU_SOURCE
#include "guest.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/videodev2.h>
#include <poll.h>
#include <signal.h>
#include <sound/asound.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

static enum exercise_result failed(const char *what)
{
	return result(EXERCISE_FAIL, "%s: %s", what, strerror(errno));
}

/* ---- displays -------------------------------------------------------------------------- */

/* include/uapi/drm/drm.h and drm_mode.h of the kernel, which the system's headers lack. */
struct drm_version {
	int major, minor, patch;
	size_t name_len;
	char *name;
	size_t date_len;
	char *date;
	size_t desc_len;
	char *desc;
};
struct drm_get_cap {
	uint64_t capability, value;
};
struct drm_mode_card_res {
	uint64_t fbs, crtcs, connectors, encoders;
	uint32_t count_fbs, count_crtcs, count_connectors, count_encoders;
	uint32_t min_width, max_width, min_height, max_height;
};
struct drm_mode_create_dumb {
	uint32_t height, width, bpp, flags, handle, pitch;
	uint64_t size;
};
struct drm_mode_map_dumb {
	uint32_t handle, pad;
	uint64_t offset;
};
struct drm_mode_destroy_dumb {
	uint32_t handle;
};
#define DRM_CAP_DUMB_BUFFER	    1
#define DRM_IOCTL_VERSION	    _IOWR('d', 0x00, struct drm_version)
#define DRM_IOCTL_GET_CAP	    _IOWR('d', 0x0c, struct drm_get_cap)
#define DRM_IOCTL_MODE_GETRESOURCES _IOWR('d', 0xa0, struct drm_mode_card_res)
#define DRM_IOCTL_MODE_CREATE_DUMB  _IOWR('d', 0xb2, struct drm_mode_create_dumb)
#define DRM_IOCTL_MODE_MAP_DUMB	    _IOWR('d', 0xb3, struct drm_mode_map_dumb)
#define DRM_IOCTL_MODE_DESTROY_DUMB _IOWR('d', 0xb4, struct drm_mode_destroy_dumb)

static bool takes_drm(const char *item, char *target, size_t size)
{
	const char *name = item_of(item, "node");

	if (!name || strncmp(name, "dri/card", 8))
		return false;
	snprintf(target, size, "%s", name + 4);
	return true;
}

/* 64 x 64 points are written and read in a buffer of the driver's. NULL or what fails. */
static const char *use_buffer(int fd)
{
	struct drm_mode_create_dumb make = { .width = 64, .height = 64, .bpp = 32 };
	struct drm_mode_map_dumb where = { 0 };
	struct drm_mode_destroy_dumb gone = { 0 };
	unsigned char *p;
	const char *wrong = NULL;

	if (ioctl(fd, DRM_IOCTL_MODE_CREATE_DUMB, &make) < 0)
		return "making a buffer";
	where.handle = gone.handle = make.handle;
	if (ioctl(fd, DRM_IOCTL_MODE_MAP_DUMB, &where) < 0)
		return "mapping a buffer";
	p = mmap(NULL, make.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, (off_t)where.offset);
	if (p == MAP_FAILED)
		return "mapping a buffer";
	memset(p, 0x5a, make.size);
	if (p[0] != 0x5a || p[make.size - 1] != 0x5a)
		wrong = "reading a buffer";
	munmap(p, make.size);
	if (!wrong && ioctl(fd, DRM_IOCTL_MODE_DESTROY_DUMB, &gone) < 0)
		wrong = "freeing a buffer";
	return wrong;
}

static enum exercise_result run_drm(const char *name)
{
	char path[64], driver[64] = "";
	struct drm_version v = { .name = driver, .name_len = sizeof(driver) - 1 };
	struct drm_get_cap dumb = { .capability = DRM_CAP_DUMB_BUFFER };
	struct drm_mode_card_res res = { 0 };
	const char *wrong;
	int fd;

	snprintf(path, sizeof(path), "dri/%.40s", name);
	fd = open_node(path, O_RDWR);
	if (fd < 0)
		return failed("open");
	if (ioctl(fd, DRM_IOCTL_VERSION, &v) < 0)
		return failed("version");
	got("driver", "%s", driver);
	if (ioctl(fd, DRM_IOCTL_MODE_GETRESOURCES, &res) < 0)
		return result(EXERCISE_OK, "'%s', version read, no displays", driver);
	got("resources", "%u outputs, %u connectors", res.count_crtcs, res.count_connectors);
	if (ioctl(fd, DRM_IOCTL_GET_CAP, &dumb) < 0 || !dumb.value)
		return result(EXERCISE_OK, "'%s', %u connectors", driver, res.count_connectors);
	wrong = use_buffer(fd);
	if (wrong)
		return failed(wrong);
	close(fd);
	return result(EXERCISE_OK, "'%s', %u connectors, a buffer written and read", driver, res.count_connectors);
}

const struct exercise exercise_drm = { "drm", 15, takes_drm, run_drm };

/* ---- video ------------------------------------------------------------------------------ */

#define FRAMES 3

static bool takes_video(const char *item, char *target, size_t size)
{
	return takes_class(item, "video4linux", "video", target, size) ||
	       takes_class(item, "video4linux", "vbi", target, size) ||
	       takes_class(item, "video4linux", "radio", target, size);
}

/* Buffers of the driver's are filled by it; the number of frames, or -1. */
static int stream_frames(int fd)
{
	struct v4l2_requestbuffers want = { .count = 3, .type = V4L2_BUF_TYPE_VIDEO_CAPTURE,
					    .memory = V4L2_MEMORY_MMAP };
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int type = V4L2_BUF_TYPE_VIDEO_CAPTURE, frames = 0;

	if (ioctl(fd, VIDIOC_REQBUFS, &want) < 0 || !want.count)
		return -1;
	for (unsigned i = 0; i < want.count; i++) {
		struct v4l2_buffer b = { .index = i, .type = want.type, .memory = want.memory };

		if (ioctl(fd, VIDIOC_QUERYBUF, &b) < 0 ||
		    mmap(NULL, b.length, PROT_READ, MAP_SHARED, fd, b.m.offset) == MAP_FAILED ||
		    ioctl(fd, VIDIOC_QBUF, &b) < 0)
			return -1;
	}
	if (ioctl(fd, VIDIOC_STREAMON, &type) < 0)
		return -1;
	while (frames < FRAMES && poll(&p, 1, 3000) > 0) {
		struct v4l2_buffer b = { .type = want.type, .memory = want.memory };

		if (ioctl(fd, VIDIOC_DQBUF, &b) < 0) {
			got("dequeue", "%s", strerrorname_np(errno));
			break;
		}
		frames += b.bytesused > 0;
		b = (struct v4l2_buffer){ .index = b.index, .type = want.type, .memory = want.memory };
		if (ioctl(fd, VIDIOC_QBUF, &b) < 0) {
			got("queue", "%s", strerrorname_np(errno));
			break;
		}
	}
	if (ioctl(fd, VIDIOC_STREAMOFF, &type) < 0)
		return -1;
	return frames;
}

/* What is written on one side comes out on the other: -1 when the device is not of that kind. */
static int through_loop(const char *name, int out)
{
	struct v4l2_format f = { .type = V4L2_BUF_TYPE_VIDEO_OUTPUT };
	unsigned char *frame;
	int in, frames;
	pid_t writer;

	f.fmt.pix.width = 64;
	f.fmt.pix.height = 64;
	f.fmt.pix.pixelformat = V4L2_PIX_FMT_YUYV;
	f.fmt.pix.field = V4L2_FIELD_NONE;
	if (ioctl(out, VIDIOC_S_FMT, &f) < 0 || !f.fmt.pix.sizeimage || f.fmt.pix.sizeimage > 1 << 24)
		return -1;
	frame = malloc(f.fmt.pix.sizeimage);
	if (!frame)
		return -1;
	memset(frame, 0x80, f.fmt.pix.sizeimage);
	if (write(out, frame, f.fmt.pix.sizeimage) != (ssize_t)f.fmt.pix.sizeimage)
		return -1;
	in = open_node(name, O_RDWR);
	if (in < 0)
		return -1;
	writer = fork();
	if (writer == 0) {
		for (int i = 0; i < 60 && write(out, frame, f.fmt.pix.sizeimage) > 0; i++)
			sleep_ms(50);
		_exit(0);
	}
	frames = stream_frames(in);
	if (writer > 0)
		kill(writer, SIGKILL);
	close(in);
	return frames;
}

static enum exercise_result run_video(const char *name)
{
	struct v4l2_capability c;
	int fd = open_node(name, O_RDWR), frames = -1;
	unsigned caps;

	if (fd < 0)
		return failed("open");
	memset(&c, 0, sizeof(c));
	if (ioctl(fd, VIDIOC_QUERYCAP, &c) < 0)
		return failed("capabilities");
	caps = c.capabilities & V4L2_CAP_DEVICE_CAPS ? c.device_caps : c.capabilities;
	got("driver", "%.16s", (char *)c.driver);
	got("capabilities", "%#x", caps);
	if (caps & V4L2_CAP_VIDEO_OUTPUT && !(caps & V4L2_CAP_VIDEO_M2M)) {
		frames = through_loop(name, fd);
		if (frames < 0 && !(caps & V4L2_CAP_VIDEO_CAPTURE))
			return result(EXERCISE_OK, "'%.16s', capabilities; an output", (char *)c.driver);
	} else if (caps & V4L2_CAP_VIDEO_CAPTURE && caps & V4L2_CAP_STREAMING) {
		frames = stream_frames(fd);
	} else {
		return result(EXERCISE_OK, "'%.16s', capabilities %#x; no stream of frames", (char *)c.driver, caps);
	}
	close(fd);
	got("stream", "%s", frames >= FRAMES ? "frames" : frames < 0 ? "refused" : "none");
	return frames >= FRAMES ? result(EXERCISE_OK, "'%.16s', %d frames", (char *)c.driver, frames)
				: result(EXERCISE_FAIL, "'%.16s', %d of %d frames", (char *)c.driver,
					 frames < 0 ? 0 : frames, FRAMES);
}

const struct exercise exercise_video = { "video", 15, takes_video, run_video };

/* ---- sound ------------------------------------------------------------------------------- */

static bool takes_card(const char *item, char *target, size_t size)
{
	const char *name = item_of(item, "node");

	if (!name || strncmp(name, "snd/controlC", 12))
		return false;
	snprintf(target, size, "%s", name + 4);
	return true;
}

static enum exercise_result run_card(const char *name)
{
	struct snd_ctl_card_info info;
	struct snd_ctl_elem_list list;
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "snd/%.40s", name);
	fd = open_node(path, O_RDWR);
	if (fd < 0)
		return failed("open");
	memset(&info, 0, sizeof(info));
	memset(&list, 0, sizeof(list));
	if (ioctl(fd, SNDRV_CTL_IOCTL_CARD_INFO, &info) < 0 || ioctl(fd, SNDRV_CTL_IOCTL_ELEM_LIST, &list) < 0)
		return failed("card");
	got("driver", "%.16s", (char *)info.driver);
	got("controls", "%u", list.count);
	close(fd);
	return result(EXERCISE_OK, "'%.32s', %u controls", (char *)info.name, list.count);
}

const struct exercise exercise_card = { "card", 5, takes_card, run_card };

static bool takes_pcm(const char *item, char *target, size_t size)
{
	const char *name = item_of(item, "node");

	if (!name || strncmp(name, "snd/pcmC", 8))
		return false;
	snprintf(target, size, "%s", name + 4);
	return true;
}

/* Everything allowed: the driver chooses. */
static void any_params(struct snd_pcm_hw_params *p)
{
	memset(p, 0, sizeof(*p));
	for (size_t i = 0; i < sizeof(p->masks) / sizeof(*p->masks); i++)
		memset(p->masks[i].bits, 0xff, sizeof(p->masks[i].bits));
	for (size_t i = 0; i < sizeof(p->intervals) / sizeof(*p->intervals); i++)
		p->intervals[i].max = UINT_MAX;
	p->rmask = ~0u;
	memset(&p->masks[SNDRV_PCM_HW_PARAM_ACCESS], 0, sizeof(p->masks[0]));
	p->masks[SNDRV_PCM_HW_PARAM_ACCESS].bits[0] = 1u << SNDRV_PCM_ACCESS_RW_INTERLEAVED;
}

static unsigned param(const struct snd_pcm_hw_params *p, int which)
{
	return p->intervals[which - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL].min;
}

/* Frames until the position moves: the hardware takes or gives them. */
static bool stream_moves(int fd, const struct snd_pcm_hw_params *p, bool playback)
{
	unsigned period = param(p, SNDRV_PCM_HW_PARAM_PERIOD_SIZE), bits = param(p, SNDRV_PCM_HW_PARAM_FRAME_BITS);
	void *silence = calloc(period, bits / 8 + 1);
	double end = now() + 5;

	if (!silence || (!playback && ioctl(fd, SNDRV_PCM_IOCTL_START) < 0))
		return false;
	while (now() < end) {
		struct snd_xferi x = { .buf = silence, .frames = period };
		struct snd_pcm_status s;

		/* A full or empty buffer is not an error. */
		if (ioctl(fd, playback ? SNDRV_PCM_IOCTL_WRITEI_FRAMES : SNDRV_PCM_IOCTL_READI_FRAMES, &x) < 0 &&
		    errno != EAGAIN && errno != EPIPE)
			return false;
		memset(&s, 0, sizeof(s));
		if (ioctl(fd, SNDRV_PCM_IOCTL_STATUS, &s) < 0)
			return false;
		if (s.hw_ptr > 0)
			return true;
		sleep_ms(20);
	}
	errno = ETIME;
	return false;
}

static enum exercise_result run_pcm(const char *name)
{
	struct snd_pcm_hw_params p;
	char path[64];
	bool playback = name[strlen(name) - 1] == 'p';
	unsigned rate;
	int fd;

	snprintf(path, sizeof(path), "snd/%.40s", name);
	fd = open_node(path, O_RDWR | O_NONBLOCK);
	if (fd < 0)
		return failed("open");
	any_params(&p);
	if (ioctl(fd, SNDRV_PCM_IOCTL_HW_REFINE, &p) < 0)
		return failed("parameters");
	got("parameters", "%u-%u Hz, %u-%u channels", param(&p, SNDRV_PCM_HW_PARAM_RATE),
	    p.intervals[SNDRV_PCM_HW_PARAM_RATE - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL].max,
	    param(&p, SNDRV_PCM_HW_PARAM_CHANNELS),
	    p.intervals[SNDRV_PCM_HW_PARAM_CHANNELS - SNDRV_PCM_HW_PARAM_FIRST_INTERVAL].max);
	if (ioctl(fd, SNDRV_PCM_IOCTL_HW_PARAMS, &p) < 0 || ioctl(fd, SNDRV_PCM_IOCTL_PREPARE) < 0)
		return failed("set-up");
	rate = param(&p, SNDRV_PCM_HW_PARAM_RATE);
	if (!stream_moves(fd, &p, playback))
		return failed(playback ? "the stream does not play" : "the stream does not record");
	if (ioctl(fd, SNDRV_PCM_IOCTL_DROP) < 0 || ioctl(fd, SNDRV_PCM_IOCTL_HW_FREE) < 0)
		return failed("stop");
	close(fd);
	return result(EXERCISE_OK, "a stream of %u Hz %s", rate, playback ? "plays" : "records");
}

const struct exercise exercise_pcm = { "pcm", 10, takes_pcm, run_pcm };
