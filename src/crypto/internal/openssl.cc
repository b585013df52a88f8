#include "crypto/internal/openssl.h"

#include <algorithm>
#include <ctime>

#include "base/check.h"

namespace proa::crypto::openssl {

BioPointer reading(std::string_view text) {
  BioPointer bio(BIO_new_mem_buf(text.empty() ? "" : text.data(), static_cast<int>(text.size())));
  CHECK(bio != nullptr);
  return bio;
}

std::string last_error() {
  std::string words = "unknown error";
  if (const unsigned long error = ERR_peek_last_error(); error != 0) {
    const char* reason = ERR_reason_error_string(error);
    if (reason == nullptr) reason = ERR_lib_error_string(error);
    if (reason != nullptr) words = reason;
  }
  ERR_clear_error();
  return words;
}

Status failure(std::string_view what, Reason reason) {
  return {reason, std::string(what) + ": " + last_error()};
}

int no_passphrase(char*, int, int, void*) { return 0; }

std::optional<std::string> text_of(const ASN1_STRING* string) {
  unsigned char* text = nullptr;
  const int size = ASN1_STRING_to_UTF8(&text, string);
  if (size < 0) {
    ERR_clear_error();
    return std::nullopt;
  }
  std::string read(reinterpret_cast<const char*>(text), static_cast<size_t>(size));
  OPENSSL_free(text);
  return read;
}

Result<Time> time_of(const ASN1_TIME* time) {
  tm parts{};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return failure("reading a time of a certificate");
  constexpr auto kLeast = std::chrono::ceil<std::chrono::seconds>(Duration::min());
  constexpr auto kMost = std::chrono::floor<std::chrono::seconds>(Duration::max());
  return Time(std::clamp(std::chrono::seconds(timegm(&parts)), kLeast, kMost));
}

TimePointer to_asn1(Time time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time.time_since_epoch()).count();
  TimePointer made(ASN1_TIME_set(nullptr, static_cast<time_t>(seconds)));
  CHECK(made != nullptr);
  return made;
}

}  // namespace proa::crypto::openssl
