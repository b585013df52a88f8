#pragma once

#include <openssl/core_names.h>
#include <openssl/ecdsa.h>
#include <openssl/rsa.h>

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/encoding.h"
#include "http/net/openssl.h"

// Keys that sign tokens, for tests.

namespace proa::apiserver {

class TestKey {
 public:
  // `number`: which of those that were made; they are kept, since making them takes long.
  static TestKey rsa(std::string id, int number = 0, unsigned bits = 2048) {
    static std::map<std::pair<int, unsigned>, std::shared_ptr<EVP_PKEY>> made;
    std::shared_ptr<EVP_PKEY>& key = made[{number, bits}];
    if (key == nullptr) key.reset(EVP_RSA_gen(bits), EVP_PKEY_free);
    return {std::move(id), key};
  }
  static TestKey ecdsa(std::string id, const char* curve = "P-256") {
    return {std::move(id), std::shared_ptr<EVP_PKEY>(EVP_EC_gen(curve), EVP_PKEY_free)};
  }

  const std::string& id() const { return id_; }

  // Its public part, as JSON; `more` is put behind it: `,"alg":"RS256"`.
  std::string public_json(std::string_view more = {}) const {
    std::string text = R"({"kid":")" + id_ + R"(",)";
    if (is_rsa()) {
      text += R"("kty":"RSA","n":")" + number(OSSL_PKEY_PARAM_RSA_N) + R"(","e":")" +
              number(OSSL_PKEY_PARAM_RSA_E) + "\"";
    } else {
      text += R"("kty":"EC","crv":"P-)" + std::to_string(EVP_PKEY_get_bits(key_.get())) +
              R"(","x":")" + number(OSSL_PKEY_PARAM_EC_PUB_X, half()) + R"(","y":")" +
              number(OSSL_PKEY_PARAM_EC_PUB_Y, half()) + "\"";
    }
    return text + std::string(more) + "}";
  }

  std::string public_pem() const {
    const http::openssl::BioPointer bio(BIO_new(BIO_s_mem()));
    CHECK(PEM_write_bio_PUBKEY(bio.get(), key_.get()) == 1);
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    return {data, static_cast<size_t>(size)};
  }

  // In the notation of RFC 7518 section 3; with any algorithm's hash, whether it fits or not.
  std::string sign(std::string_view algorithm, std::string_view text) const {
    EVP_MD_CTX* context = EVP_MD_CTX_new();
    EVP_PKEY_CTX* settings = nullptr;
    CHECK(EVP_DigestSignInit(context, &settings, digest_of(algorithm), nullptr, key_.get()) == 1);
    if (algorithm.starts_with("PS")) {
      CHECK(EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1);
      CHECK(EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) == 1);
    }
    const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
    std::string signature(4096, '\0');
    size_t size = signature.size();
    CHECK(EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size, bytes,
                         text.size()) == 1);
    EVP_MD_CTX_free(context);
    signature.resize(size);
    return is_rsa() ? signature : bare_numbers(signature);
  }

  // A whole token. `header`: instead of one that names algorithm and key.
  std::string token(std::string_view algorithm, std::string_view claims,
                    std::string header = {}) const {
    if (header.empty()) {
      header = R"({"alg":")" + std::string(algorithm) + R"(","kid":")" + id_ + R"("})";
    }
    const std::string text = to_base64_url(header) + "." + to_base64_url(claims);
    return text + "." + to_base64_url(sign(algorithm, text));
  }

 private:
  TestKey(std::string id, std::shared_ptr<EVP_PKEY> key)
      : id_(std::move(id)), key_(std::move(key)) {
    CHECK(key_ != nullptr);
  }

  bool is_rsa() const { return EVP_PKEY_get_base_id(key_.get()) == EVP_PKEY_RSA; }
  int half() const { return (EVP_PKEY_get_bits(key_.get()) + 7) / 8; }

  std::string number(const char* name, int width = 0) const {
    BIGNUM* number = nullptr;
    CHECK(EVP_PKEY_get_bn_param(key_.get(), name, &number) == 1);
    std::string text = number_text(number, width);
    BN_free(number);
    return to_base64_url(text);
  }

  static std::string number_text(const BIGNUM* number, int width) {
    const int size = width > 0 ? width : BN_num_bytes(number);
    std::string bytes(static_cast<size_t>(size), '\0');
    CHECK(BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), size) == size);
    return bytes;
  }

  std::string bare_numbers(const std::string& der) const {
    const auto* begin = reinterpret_cast<const unsigned char*>(der.data());
    ECDSA_SIG* pair = d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(der.size()));
    CHECK(pair != nullptr);
    const std::string both =
        number_text(ECDSA_SIG_get0_r(pair), half()) + number_text(ECDSA_SIG_get0_s(pair), half());
    ECDSA_SIG_free(pair);
    return both;
  }

  static const EVP_MD* digest_of(std::string_view algorithm) {
    if (algorithm.ends_with("384")) return EVP_sha384();
    return algorithm.ends_with("512") ? EVP_sha512() : EVP_sha256();
  }

  std::string id_;
  std::shared_ptr<EVP_PKEY> key_;
};

// {"keys":[...]}
inline std::string key_set(const std::vector<std::string>& keys) {
  std::string all;
  for (const std::string& key : keys) all += (all.empty() ? "" : ",") + key;
  return R"({"keys":[)" + all + "]}";
}

}  // namespace proa::apiserver
