/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/digest.h"
#include "base/str.h"

static void expect_hex(const unsigned char *bytes, const char *hex)
{
    fri_buf b;
    fri_buf_init(&b, 1000);
    fri_put_hex(&b, bytes, FRI_SHA256_BYTES);
    assert_string_equal(b.p, hex);
    fri_buf_dispose(&b);
}

static void expect_sha256(fr_str data, const char *hex)
{
    unsigned char digest[FRI_SHA256_BYTES];
    fr_error err = FR_ERROR_INIT;
    if (fri_sha256(data, digest, &err))
        fail_msg("%s", err.text);
    expect_hex(digest, hex);
}

/* The examples of FIPS 180-4's companion page. */
static void test_sha256(void **state)
{
    (void)state;
    expect_sha256(fri_str("", 0),
                  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_sha256(fri_str(NULL, 0),
                  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect_sha256(fri_cstr("abc"),
                  "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect_sha256(fri_cstr("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
                  "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    char *million = malloc(1000000);
    assert_non_null(million);
    memset(million, 'a', 1000000);
    expect_sha256(fri_str(million, 1000000),
                  "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void expect_hmac(fr_str key, fr_str data, const char *hex)
{
    unsigned char mac[FRI_SHA256_BYTES];
    fr_error err = FR_ERROR_INIT;
    if (fri_hmac_sha256(key, data, mac, &err))
        fail_msg("%s", err.text);
    expect_hex(mac, hex);
}

/* RFC 4231, cases 1, 2, 3 and 6. */
static void test_hmac(void **state)
{
    (void)state;
    char key[131], data[50];
    memset(key, 0x0b, 20);
    expect_hmac(fri_str(key, 20), fri_cstr("Hi There"),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    expect_hmac(fri_cstr("Jefe"), fri_cstr("what do ya want for nothing?"),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, 131);
    memset(data, 0xdd, 50);
    expect_hmac(fri_str(key, 20), fri_str(data, 50),
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    expect_hmac(fri_str(key, 131),
                fri_cstr("Test Using Larger Than Block-Size Key - Hash Key First"),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
    expect_hmac(fri_str(NULL, 0), fri_str(NULL, 0),
                "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

static int decode(const char *text, size_t n, fri_buf *out)
{
    fri_buf_init(out, 1 << 20);
    return fri_get_base64(out, fri_str(text, n), NULL);
}

static void expect_base64(const char *bytes, size_t n, const char *text)
{
    fri_buf b;
    fri_buf_init(&b, 1 << 20);
    assert_int_equal(fri_put_base64(&b, fri_str(bytes, n), NULL), 0);
    assert_string_equal(b.p, text);
    fri_buf_dispose(&b);
    assert_int_equal(decode(text, strlen(text), &b), 0);
    assert_int_equal(b.n, n);
    assert_memory_equal(b.p, bytes, n);
    fri_buf_dispose(&b);
}

/* RFC 4648, section 10, and every byte. */
static void test_base64(void **state)
{
    (void)state;
    static const char *const texts[] = {"",         "Zg==",     "Zm8=",    "Zm9v",
                                        "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"};
    for (size_t n = 0; n <= 6; n++)
        expect_base64("foobar", n, texts[n]);
    expect_base64("\xfb\xff\xfe\x00", 4, "+//+AA==");
    char bytes[256];
    fri_buf text, back;
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    fri_buf_init(&text, 1000);
    assert_int_equal(fri_put_base64(&text, fri_str(bytes, 256), NULL), 0);
    assert_int_equal(decode(text.p, text.n, &back), 0);
    assert_int_equal(back.n, 256);
    assert_memory_equal(back.p, bytes, 256);
    fri_buf_dispose(&text);
    fri_buf_dispose(&back);
}

static void test_what_is_no_base64(void **state)
{
    (void)state;
    static const char *const bad[] = {"Z",        "Zg",         "Zg=",       "=",           "====",
                                      "Zg==Zg==", "Z===",       "Zm9v\n",    " Zm9v",       "Zm 9",
                                      "Zm9-",     "Zm9_",       "Zh==",      "Zm9=",        "Zm=v",
                                      "Zm9vZ",    "\xc3\xa4Zm", "Zm9vYmE==", "Zg==\n\n\n\n"};
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        fri_buf b;
        if (decode(bad[i], strlen(bad[i]), &b) != FR_EFORMAT || b.n != 0)
            fail_msg("'%s' was taken", bad[i]);
        fri_buf_dispose(&b);
    }
    fri_buf b;
    assert_int_equal(decode("Zm\0v", 4, &b), FR_EFORMAT);
    fri_buf_dispose(&b);
}

static void test_limits_hold(void **state)
{
    (void)state;
    fri_buf b;
    fri_buf_init(&b, 7);
    assert_int_equal(fri_put_base64(&b, fri_cstr("foobar"), NULL), FR_ELIMIT);
    fri_buf_dispose(&b);
    fri_buf_init(&b, 5);
    assert_int_equal(fri_get_base64(&b, fri_cstr("Zm9vYmFy"), NULL), FR_ELIMIT);
    fri_buf_dispose(&b);
}

static void *digest_often(void *arg)
{
    (void)arg;
    for (int i = 0; i < 100; i++)
        test_sha256(NULL);
    return NULL;
}

/* The first use of all: the library is loaded by whoever comes first. */
static void test_many_threads_load_it(void **state)
{
    (void)state;
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, digest_often, NULL), 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_many_threads_load_it),
        cmocka_unit_test(test_sha256),
        cmocka_unit_test(test_hmac),
        cmocka_unit_test(test_base64),
        cmocka_unit_test(test_what_is_no_base64),
        cmocka_unit_test(test_limits_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
