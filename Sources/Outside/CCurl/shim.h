// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <curl/curl.h>

// The functions that take options take any type, which Swift cannot call: one for each type that is passed.

static inline CURLcode ccurl_set_number(CURL *handle, CURLoption option, long value) {
    return curl_easy_setopt(handle, option, value);
}

static inline CURLcode ccurl_set_text(CURL *handle, CURLoption option, const char *value) {
    return curl_easy_setopt(handle, option, value);
}

// The library copies the body.
static inline CURLcode ccurl_set_body(CURL *handle, const void *bytes, curl_off_t count) {
    CURLcode result = curl_easy_setopt(handle, CURLOPT_POSTFIELDSIZE_LARGE, count);
    return result == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_COPYPOSTFIELDS, bytes) : result;
}

// Swift does not see the constant.
static inline CURLcode ccurl_set_token(CURL *handle, const char *token) {
    CURLcode result = curl_easy_setopt(handle, CURLOPT_HTTPAUTH, (long)CURLAUTH_BEARER);
    return result == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_XOAUTH2_BEARER, token) : result;
}

static inline CURLcode ccurl_set_headers(CURL *handle, struct curl_slist *headers) {
    return curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
}

// `words` has CURL_ERROR_SIZE bytes, and stays as long as the handle.
static inline CURLcode ccurl_set_words(CURL *handle, char *words) {
    return curl_easy_setopt(handle, CURLOPT_ERRORBUFFER, words);
}

static inline CURLcode ccurl_on_body(CURL *handle, curl_write_callback callback, void *owner) {
    CURLcode result = curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, callback);
    return result == CURLE_OK ? curl_easy_setopt(handle, CURLOPT_WRITEDATA, owner) : result;
}

static inline void ccurl_on_events(
    CURLM *handle, curl_socket_callback on_socket, curl_multi_timer_callback on_timer, void *owner) {
    curl_multi_setopt(handle, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(handle, CURLMOPT_SOCKETDATA, owner);
    curl_multi_setopt(handle, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(handle, CURLMOPT_TIMERDATA, owner);
}

static inline long ccurl_status(CURL *handle) {
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    return status;
}

// Seconds; 0: the server did not say.
static inline curl_off_t ccurl_retry_after(CURL *handle) {
    curl_off_t seconds = 0;
    curl_easy_getinfo(handle, CURLINFO_RETRY_AFTER, &seconds);
    return seconds;
}
