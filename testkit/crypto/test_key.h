#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct evp_pkey_st;

namespace proa::crypto {

// A private key as PEM: "P-256", "secp256k1", "RSA-1024", "Ed25519".
std::string make_private_key_pem(std::string_view kind);

// A key that signs tokens, good and bad ones.
class TestKey {
 public:
  // `number`: which of those that were made; they are kept, since making one is slow.
  static TestKey rsa(std::string id, int number = 0, unsigned bits = 2048);
  static TestKey ecdsa(std::string id, std::string_view curve = "P-256");

  const std::string& id() const { return id_; }

  // Its public part as a JSON Web Key; `more` is put behind it: `,"alg":"RS256"`.
  std::string public_json(std::string_view more = {}) const;
  std::string public_pem() const;

  // In the notation of RFC 7518 section 3; with any algorithm's hash, whether it fits or not.
  std::string sign(std::string_view algorithm, std::string_view text) const;
  // A whole token. `header`: instead of one that names algorithm and key.
  std::string token(std::string_view algorithm, std::string_view claims,
                    std::string header = {}) const;

 private:
  TestKey(std::string id, std::shared_ptr<evp_pkey_st> key);

  std::string id_;
  std::shared_ptr<evp_pkey_st> key_;
};

// {"keys":[...]}
std::string key_set(const std::vector<std::string>& keys);

}  // namespace proa::crypto
