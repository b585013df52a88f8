#include "cli/backup/sha256.h"

#include <openssl/evp.h>

#include <array>

#include "base/check.h"
#include "base/encoding.h"

namespace proa::cli {

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) {
  CHECK(context_ != nullptr && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1);
}

void Sha256::add(std::string_view bytes) {
  CHECK(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

std::string Sha256::finish() {
  std::array<unsigned char, EVP_MAX_MD_SIZE> sum{};
  unsigned int size = 0;
  CHECK(EVP_DigestFinal_ex(context_.get(), sum.data(), &size) == 1);
  return to_hex({reinterpret_cast<const char*>(sum.data()), size});
}

}  // namespace proa::cli
