#include "cli/node/join/discovery.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "api/object/view.h"
#include "base/encoding.h"
#include "base/strings.h"
#include "controllers/access/bootstrap_tokens.h"
#include "crypto/certificate.h"
#include "crypto/constant_time.h"
#include "http/client/client.h"
#include "http/net/server_certificates.h"
#include "http/wire/url.h"
#include "json/parse.h"
#include "json/yaml.h"

namespace proa::cli {
namespace discovery {

constexpr std::string_view kHashPrefix = "sha256:";
constexpr std::string_view kClusterInfo = "/api/v1/namespaces/kube-public/configmaps/cluster-info";

// The certificate presented by the server whose public key has that hash. Empty: none.
std::string shown_authority(const http::PeerCertificates& shown, const std::string& hash) {
  for (const std::string& der : shown.chain_der) {
    const auto certificate = crypto::Certificate::parse_der(der);
    if (!certificate) continue;
    std::string pem = certificate->pem();
    const auto found = public_key_hash(pem);
    if (found.ok() && *found == hash) return pem;
  }
  return {};
}

// kForbidden, with advice, unless the server's own certificate is for the host in --server.
Result<void> check_name(const http::PeerCertificates& shown, const std::string& host) {
  if (shown.chain_der.empty()) return {};
  const auto own = crypto::Certificate::parse_der(shown.chain_der.front());
  if (!own || own->covers(host)) return {};
  const auto identity = own->identity();
  if (!identity) return {};
  std::vector<std::string> names = identity->ip_addresses;
  names.insert(names.end(), identity->dns_names.begin(), identity->dns_names.end());
  // The TLS handshake knows what these are for.
  if (std::ranges::any_of(names, [](const std::string& name) { return name.starts_with('*'); })) {
    return {};
  }
  return Status(Reason::kForbidden,
                fmt::format("the server's certificate is not valid for {}, but for {}; restart the "
                            "server with --tls-san {}, or use one of these names in --server",
                            host, fmt::join(names, ", "), host));
}

Result<std::string> ask_cluster_info(const http::Url& url, Clock& clock, Duration timeout) {
  http::LoopGroup loops(1);
  http::TlsOptions anybody;
  anybody.insecure_skip_verify = true;  // the content is signed with the token
  http::ClientOptions options;
  options.pool.tls = TRY(http::TlsContext::client(anybody));
  http::Client http(loops, clock, options);
  http::ClientRequest request;
  request.origin = http::Origin::of(url);
  request.target = std::string(kClusterInfo);
  const http::Response answer = TRY(http.send(request, Until::after(clock, timeout)));
  if (answer.status != 200) {
    return Status(Reason::kForbidden,
                  fmt::format("the server at {} does not present a CA that matches the token's "
                              "hash, and its cluster-info cannot be read ({}); check --server, or "
                              "create a token there with `proa token create`",
                              request.origin.str(), answer.status));
  }
  return std::string(answer.body.view());
}

Result<http::Url> parse_server(const std::string& server) {
  Result<http::Url> url = http::parse_url(server);
  if (!url || url->scheme != "https") {
    return Status(Reason::kInvalid, "--server must be https://ADDRESS:PORT, not " + server);
  }
  return url;
}

}  // namespace discovery

Result<void> check_server_url(const std::string& server) {
  TRY(discovery::parse_server(server));
  return {};
}

Result<JoinToken> parse_join_token(std::string_view token, std::string_view authority_hash) {
  if (authority_hash.starts_with(discovery::kHashPrefix)) {
    authority_hash.remove_prefix(discovery::kHashPrefix.size());
  }
  if (trim(token).starts_with("proa1.") || authority_hash.empty()) {
    JoinToken parsed = TRY(JoinToken::parse(token));
    if (!authority_hash.empty() && authority_hash != parsed.authority_hash) {
      return Status(Reason::kInvalid, "--ca-cert-hash does not match the token's CA hash");
    }
    return parsed;
  }
  const auto halves = split_once(trim(token), '.');
  const std::string id = TRY(token_id(token));
  if (!halves || halves->after.empty() || authority_hash.size() != 64 ||
      authority_hash.find_first_not_of("0123456789abcdef") != std::string_view::npos) {
    return Status(Reason::kInvalid,
                  "--token must be proa1.ID.SECRET.HASH, or ID.SECRET with --ca-cert-hash "
                  "sha256:... (64 hexadecimal digits)");
  }
  return JoinToken{id, std::string(halves->after), std::string(authority_hash)};
}

Result<std::string> authority_in_cluster_info(std::string_view config_map, const JoinToken& token) {
  const json::Document document = TRY(json::parse(config_map));
  const api::View data = api::View(document.root())["data"];
  const std::string_view kubeconfig = data["kubeconfig"].text();
  const std::string expected =
      controllers::detached_signature(kubeconfig, {token.id, token.secret});
  if (!crypto::equal_in_constant_time(data["jws-kubeconfig-" + token.id].text(), expected)) {
    return Status(Reason::kForbidden,
                  "the server's cluster-info is not signed with this token: the token has expired "
                  "or --server is wrong; create a new token with `proa token create`");
  }
  // It has one cluster, and no users or contexts.
  const json::Document config = TRY(json::parse_yaml(kubeconfig));
  const auto authority = from_base64(
      api::View(config.root())["clusters"].item(0)["cluster"]["certificate-authority-data"].text());
  if (!authority) {
    return Status(Reason::kForbidden, "the server's cluster-info contains no CA certificate");
  }
  const std::string hash = TRY(public_key_hash(*authority));
  if (!crypto::equal_in_constant_time(hash, token.authority_hash)) {
    return Status(Reason::kForbidden, "the server's CA does not match the token's CA hash");
  }
  return *authority;
}

Result<std::string> discover_authority(const std::string& server, const JoinToken& token,
                                       Clock& clock, Duration timeout) {
  const http::Url url = TRY(discovery::parse_server(server));
  const http::Origin origin = http::Origin::of(url);
  const http::PeerCertificates shown =
      TRY(http::fetch_server_certificates(origin.host, origin.port, timeout));
  std::string authority = discovery::shown_authority(shown, token.authority_hash);
  if (authority.empty()) {
    const std::string info = TRY(discovery::ask_cluster_info(url, clock, timeout));
    authority = TRY(authority_in_cluster_info(info, token));
  }
  TRY(discovery::check_name(shown, origin.host));
  return authority;
}

}  // namespace proa::cli
