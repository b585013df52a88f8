#pragma once

#include <string>
#include <string_view>

#include "base/random.h"
#include "base/result.h"

namespace proa::cli {

// The credentials with which a machine joins: a bootstrap token, and the CA hash by which it
// verifies the server. Format: "proa1.ID.SECRET.HASH".
struct JoinToken {
  std::string id;              // six of a-z and 0-9; part of the Secret's name, not secret
  std::string secret;          // 32 hexadecimal digits: 128 bits
  std::string authority_hash;  // SHA-256 of the CA's public key: 64 hexadecimal digits

  std::string str() const;
  // The bearer token for the API server: "ID.SECRET".
  std::string bearer() const { return id + "." + secret; }
  static Result<JoinToken> parse(std::string_view text);
};

// Creates a token for a cluster with that CA (PEM).
Result<JoinToken> make_join_token(Random& random, std::string_view authority_pem);

// The SHA-256 of a certificate's public key (its SubjectPublicKeyInfo), as lower case hexadecimal
// digits; what kubeadm calls --discovery-token-ca-cert-hash, without "sha256:".
Result<std::string> public_key_hash(std::string_view certificate_pem);

// The id in "ID", "ID.SECRET" or "proa1.ID.SECRET.HASH".
Result<std::string> token_id(std::string_view text);

}  // namespace proa::cli
