#include "testkit/crypto/test_key.h"

#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/rsa.h>

#include <map>
#include <utility>

#include "base/check.h"
#include "base/encoding.h"
#include "crypto/internal/openssl.h"
#include "testkit/crypto/openssl_key.h"

namespace proa::crypto {
namespace test_key {

bool is_rsa(EVP_PKEY* key) { return EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA; }
int half_of(EVP_PKEY* key) { return (EVP_PKEY_get_bits(key) + 7) / 8; }

// `width`: padded to so many bytes; zero: as few as possible.
std::string bytes_of(const BIGNUM* number, int width) {
  const int size = width > 0 ? width : BN_num_bytes(number);
  std::string bytes(static_cast<size_t>(size), '\0');
  CHECK(BN_bn2binpad(number, reinterpret_cast<unsigned char*>(bytes.data()), size) == size);
  return bytes;
}

std::string number(EVP_PKEY* key, const char* name, int width = 0) {
  BIGNUM* number = nullptr;
  CHECK(EVP_PKEY_get_bn_param(key, name, &number) == 1);
  const openssl::NumberPointer owned(number);
  return to_base64_url(bytes_of(number, width));
}

std::string bare_numbers(const std::string& der, int half) {
  const unsigned char* begin = openssl::bytes_of(der);
  ECDSA_SIG* pair = d2i_ECDSA_SIG(nullptr, &begin, static_cast<long>(der.size()));
  CHECK(pair != nullptr);
  std::string both =
      bytes_of(ECDSA_SIG_get0_r(pair), half) + bytes_of(ECDSA_SIG_get0_s(pair), half);
  ECDSA_SIG_free(pair);
  return both;
}

const EVP_MD* digest_of(std::string_view algorithm) {
  if (algorithm.ends_with("384")) return EVP_sha384();
  return algorithm.ends_with("512") ? EVP_sha512() : EVP_sha256();
}

}  // namespace test_key

openssl::KeyPointer make_openssl_key(std::string_view kind) {
  openssl::KeyPointer made;
  if (kind == "Ed25519") {
    made.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
  } else if (kind.starts_with("RSA-")) {
    const size_t bits = std::stoul(std::string(kind.substr(4)));
    made.reset(EVP_PKEY_Q_keygen(nullptr, nullptr, "RSA", bits));
  } else {
    made.reset(EVP_EC_gen(std::string(kind).c_str()));
  }
  CHECK(made != nullptr);
  return made;
}

std::string make_private_key_pem(std::string_view kind) {
  const openssl::KeyPointer key = make_openssl_key(kind);
  return openssl::written([&](BIO* bio) {
           return PEM_write_bio_PrivateKey(bio, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
         })
      .value();
}

TestKey::TestKey(std::string id, std::shared_ptr<evp_pkey_st> key)
    : id_(std::move(id)), key_(std::move(key)) {}

TestKey TestKey::rsa(std::string id, int number, unsigned bits) {
  static std::map<std::pair<int, unsigned>, std::shared_ptr<EVP_PKEY>> made;
  std::shared_ptr<EVP_PKEY>& key = made[{number, bits}];
  if (key == nullptr) {
    key.reset(make_openssl_key("RSA-" + std::to_string(bits)).release(), EVP_PKEY_free);
  }
  return {std::move(id), key};
}

TestKey TestKey::ecdsa(std::string id, std::string_view curve) {
  return {std::move(id),
          std::shared_ptr<EVP_PKEY>(make_openssl_key(curve).release(), EVP_PKEY_free)};
}

std::string TestKey::public_json(std::string_view more) const {
  using namespace test_key;
  EVP_PKEY* key = key_.get();
  std::string text = R"({"kid":")" + id_ + R"(",)";
  if (is_rsa(key)) {
    text += R"("kty":"RSA","n":")" + number(key, OSSL_PKEY_PARAM_RSA_N) + R"(","e":")" +
            number(key, OSSL_PKEY_PARAM_RSA_E) + "\"";
  } else {
    text += R"("kty":"EC","crv":"P-)" + std::to_string(EVP_PKEY_get_bits(key)) + R"(","x":")" +
            number(key, OSSL_PKEY_PARAM_EC_PUB_X, half_of(key)) + R"(","y":")" +
            number(key, OSSL_PKEY_PARAM_EC_PUB_Y, half_of(key)) + "\"";
  }
  return text + std::string(more) + "}";
}

std::string TestKey::public_pem() const {
  return openssl::written([&](BIO* bio) { return PEM_write_bio_PUBKEY(bio, key_.get()); }).value();
}

std::string TestKey::sign(std::string_view algorithm, std::string_view text) const {
  using namespace test_key;
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  EVP_PKEY_CTX* settings = nullptr;
  CHECK(EVP_DigestSignInit(context, &settings, digest_of(algorithm), nullptr, key_.get()) == 1);
  if (algorithm.starts_with("PS")) {
    CHECK(EVP_PKEY_CTX_set_rsa_padding(settings, RSA_PKCS1_PSS_PADDING) == 1);
    CHECK(EVP_PKEY_CTX_set_rsa_pss_saltlen(settings, RSA_PSS_SALTLEN_DIGEST) == 1);
  }
  std::string signature(4096, '\0');
  size_t size = signature.size();
  CHECK(EVP_DigestSign(context, reinterpret_cast<unsigned char*>(signature.data()), &size,
                       openssl::bytes_of(text), text.size()) == 1);
  EVP_MD_CTX_free(context);
  signature.resize(size);
  return is_rsa(key_.get()) ? signature : bare_numbers(signature, half_of(key_.get()));
}

std::string TestKey::token(std::string_view algorithm, std::string_view claims,
                           std::string header) const {
  if (header.empty()) {
    header = R"({"alg":")" + std::string(algorithm) + R"(","kid":")" + id_ + R"("})";
  }
  const std::string text = to_base64_url(header) + "." + to_base64_url(claims);
  return text + "." + to_base64_url(sign(algorithm, text));
}

std::string key_set(const std::vector<std::string>& keys) {
  std::string all;
  for (const std::string& key : keys) all += (all.empty() ? "" : ",") + key;
  return R"({"keys":[)" + all + "]}";
}

}  // namespace proa::crypto
