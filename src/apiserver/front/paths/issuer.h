#pragma once

#include <string>

#include "apiserver/access/tokens/service_account_tokens.h"
#include "apiserver/front/paths/path_handler.h"
#include "base/bytes.h"

namespace proa::apiserver {

// What others need in order to check tokens of service accounts themselves, as OpenID Connect has
// it: /.well-known/openid-configuration and /openid/v1/jwks. Documents that never change.
class IssuerPaths final : public PathHandler {
 public:
  struct Options {
    std::string server_address;  // where this server is found: "192.0.2.1:6443"
    std::string keys_url = {};   // --service-account-jwks-uri; empty: of this server
  };
  // kInvalid where there can be no OpenID Connect: an issuer, or a place of the keys, that is no
  // https URL; an issuer with a query.
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
