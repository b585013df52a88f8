#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "api/object/names.h"
#include "api/schema/schema.h"
#include "base/random.h"
#include "base/threads/answer_cache.h"
#include "client/bounded_client.h"
#include "crypto/client_verifier.h"
#include "http/net/tls.h"
#include "kubelet/node/server/request_access.h"

namespace proa::kubelet {

// The caller of the node's server.
struct Caller {
  std::string name = {};
  std::string uid = {};
  std::vector<std::string> groups = {};
  std::map<std::string, std::vector<std::string>> extra = {};
};

// Authentication and authorization of the node's server: client certificates, and TokenReviews and
// SubjectAccessReviews of the API server, cached as long as upstream caches them. Blocks on the API
// server; from any thread that is not a loop's.
class NodeAccess {
 public:
  // `authority_pem`: the CA of client certificates; empty: none are accepted. Everything outlives
  // it.
  static Result<std::unique_ptr<NodeAccess>> make(client::BoundedClient client,
                                                  const api::Schema& schema, Clock& clock,
                                                  Random& random, api::NodeName node_name,
                                                  const std::string& authority_pem);

  // `authorization`: the header of that name. kUnauthorized without valid credentials: there are no
  // anonymous callers.
  Result<Caller> authenticate(const http::PeerCertificates& shown, std::string_view authorization);
  // Whether one of the subresources is allowed. Fails if that cannot be decided.
  Result<bool> authorize(const Caller& caller, const RequestAccess& wanted);

 private:
  NodeAccess(client::BoundedClient client, const api::Schema& schema, Clock& clock, Random& random,
             api::NodeName node_name, std::unique_ptr<const crypto::ClientVerifier> authorities);

  // REQUIRES: authorities_ is not null, and `shown` not empty.
  Result<crypto::CertificateIdentity> verify(const http::PeerCertificates& shown) const;
  Result<Caller> review_token(std::string_view token);
  Result<std::optional<Caller>> ask_token(std::string_view token);
  Result<bool> review_access(const std::string& spec);
  Result<bool> ask_access(const std::string& spec);
  std::string access_spec(const Caller& caller, const std::string& verb,
                          const std::string& subresource) const;
  // The key of a token in the cache, which contains no tokens.
  std::string hash_of(std::string_view token) const;

  const client::BoundedClient client_;
  const api::Resource& token_reviews_;
  const api::Resource& access_reviews_;
  Clock& clock_;
  const api::NodeName node_name_;
  const std::unique_ptr<const crypto::ClientVerifier> authorities_;  // null: none are trusted
  std::string hash_key_;
  AnswerCache<std::optional<Caller>> tokens_;
  AnswerCache<bool> permissions_;
};

}  // namespace proa::kubelet
