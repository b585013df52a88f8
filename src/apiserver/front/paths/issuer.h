#pragma once

#include <string>

#include "apiserver/access/tokens/service_account_tokens.h"
#include "apiserver/front/paths/path_handler.h"
#include "base/bytes.h"

namespace proa::apiserver {

// The OpenID Connect documents with which other servers verify service account tokens:
// /.well-known/openid-configuration and /openid/v1/jwks. Constant.
class IssuerPaths final : public PathHandler {
 public:
  struct Options {
    std::string server_address;  // the address of this server: "192.0.2.1:6443"
    std::string keys_url = {};   // --service-account-jwks-uri; empty: on this server
  };
  // Fails with kInvalid if OpenID Connect is impossible: the issuer or the keys' URL is not https,
  // or the issuer has a query.
  static Result<std::unique_ptr<IssuerPaths>> make(const ServiceAccountTokens& tokens,
                                                   const Options& options);

  std::optional<http::Response> answer(const http::RequestHead& head,
                                       const http::Target& target) override;

 private:
  IssuerPaths(std::string configuration, std::string keys)
      : configuration_(std::move(configuration)), keys_(std::move(keys)) {}

  const Bytes configuration_;
  const Bytes keys_;
};

}  // namespace proa::apiserver
