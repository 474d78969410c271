/* SPDX-License-Identifier: MIT */
#ifndef FENCERUN_EXPORT_H
#define FENCERUN_EXPORT_H

/** Decoration of public declarations. */
#ifdef __cplusplus
#define FR_BEGIN_DECLS extern "C" {
#define FR_END_DECLS   }
#else
#define FR_BEGIN_DECLS
#define FR_END_DECLS
#endif

#if defined(__GNUC__)
#define FR_API          __attribute__((visibility("default")))
#define FR_CHECK        __attribute__((warn_unused_result))
#define FR_PRINTF(f, a) __attribute__((format(printf, f, a)))
#else
#define FR_API
#define FR_CHECK
#define FR_PRINTF(f, a)
#endif

#endif
