#include "apiserver/access/webhook/answer_key.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/check.h"

namespace proa::apiserver {

std::string AnswerKeys::of(std::span<const std::string_view> parts) const {
  std::string all;
  for (const std::string_view part : parts) {
    all += std::to_string(part.size()) + ":";
    all += part;
  }
  std::string key(EVP_MAX_MD_SIZE, '\0');
  unsigned int size = 0;
  CHECK(HMAC(EVP_sha256(), secret_.data(), static_cast<int>(secret_.size()),
             reinterpret_cast<const unsigned char*>(all.data()), all.size(),
             reinterpret_cast<unsigned char*>(key.data()), &size) != nullptr);
  key.resize(size);
  return key;
}

}  // namespace proa::apiserver
