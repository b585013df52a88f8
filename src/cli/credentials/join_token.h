#pragma once

#include <string>
#include <string_view>

#include "base/random.h"
#include "base/result.h"

namespace proa::cli {

// What a machine is given so that it can join: who it is, until it has a certificate, and by which
// authority it knows the server. Written as "proa1.ID.SECRET.HASH".
struct JoinToken {
  std::string id;              // six of a-z and 0-9: no secret, it names the Secret
  std::string secret;          // 32 hexadecimal digits: 128 bits
  std::string authority_hash;  // of the authority's public key: 64 hexadecimal digits

  std::string str() const;
  // What the API server is shown: "ID.SECRET".
  std::string bearer() const { return id + "." + secret; }
  static Result<JoinToken> parse(std::string_view text);
};

// A new one, for a cluster with that authority (PEM).
Result<JoinToken> make_join_token(Random& random, std::string_view authority_pem);

// The SHA-256 of a certificate's public key (its SubjectPublicKeyInfo), as lower case hexadecimal
// digits; what kubeadm calls --discovery-token-ca-cert-hash, without "sha256:".
Result<std::string> public_key_hash(std::string_view certificate_pem);

// The id in "ID", "ID.SECRET" or "proa1.ID.SECRET.HASH".
Result<std::string> token_id(std::string_view text);

}  // namespace proa::cli
