#include "apiserver/access/webhook/answer_key.h"

#include "crypto/digest.h"

namespace proa::apiserver {

std::string AnswerKeys::of(std::span<const std::string_view> parts) const {
  std::string all;
  for (const std::string_view part : parts) {
    all += std::to_string(part.size()) + ":";
    all += part;
  }
  const std::string_view secret(reinterpret_cast<const char*>(secret_.data()), secret_.size());
  return crypto::hmac_sha256(secret, all).str();
}

}  // namespace proa::apiserver
