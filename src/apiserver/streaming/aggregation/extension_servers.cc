#include "apiserver/streaming/aggregation/extension_servers.h"

#include <fmt/format.h>

#include <set>

#include "apiserver/access/webhook/webhook_client.h"
#include "apiserver/streaming/aggregation/identity_fields.h"
#include "apiserver/streaming/service_origin.h"
#include "base/threads/deadline.h"

namespace proa::apiserver {
namespace extension_servers {

// As many endpoints as upstream asks; but each one once.
constexpr int kAttempts = 5;
constexpr Duration kProbeTimeout = std::chrono::seconds(5);

Status failure(const std::string& url, const Result<http::ResponseHead>& head) {
  std::string why;
  if (head) {
    why = fmt::format("bad status from {}: {}", url, head->status);
  } else if (head.is(Reason::kTimeout)) {
    why = fmt::format("Get \"{}\": context deadline exceeded", url);
  } else {
    why = fmt::format("Get \"{}\": {}", url, head.status().message());
  }
  return {Reason::kServiceUnavailable,
          fmt::format("failing or missing response from {}: {}", url, why)};
}

bool is_success(int status) { return status >= 200 && status < 300; }

}  // namespace extension_servers

Result<http::Origin> ExtensionServers::find(const ExtensionApi& api) const {
  http::Origin origin = TRY(find_service(
      context_.objects,
      {.name_space = api.service_namespace, .name = api.service_name, .port = api.port},
      context_.random, context_.egress));
  origin.tls = true;
  origin.server_name = api.server_name();
  return origin;
}

http::ClientRequest ExtensionServers::request(const http::Origin& origin,
                                              const ExtensionQuestion& question) const {
  http::ClientRequest request;
  request.origin = origin;
  request.method = question.method;
  request.target = question.path;
  request.headers = {{"accept", question.accept}, {"user-agent", "proa"}};
  if (!question.known_tag.empty()) request.headers.set("if-none-match", question.known_tag);
  set_identity(request.headers, question.user);
  return request;
}

Result<http::Response> ExtensionServers::ask(const ExtensionApi& api,
                                             const ExtensionQuestion& question,
                                             std::stop_token stop) const {
  const Until until = Until::after(context_.clock, question.timeout, std::move(stop));
  const std::shared_ptr<http::Client> client = TRY(client_for(api));
  const http::Origin origin = TRY(find(api));
  return client->send(request(origin, question), until);
}

Result<void> ExtensionServers::probe(const ExtensionApi& api, std::stop_token stop) const {
  using namespace extension_servers;
  struct Attempt {
    std::string url;
    std::unique_ptr<http::BlockingCall> call;
  };
  const Until until = Until::after(context_.clock, kProbeTimeout, std::move(stop));
  const std::shared_ptr<http::Client> client = TRY(client_for(api));
  const ExtensionQuestion question{.path = api.path(), .user = aggregator_user()};
  std::vector<Attempt> attempts;
  std::set<http::Origin> asked;
  for (int i = 0; i < kAttempts; ++i) {
    const http::Origin origin = TRY(find(api));
    if (!asked.insert(origin).second) continue;
    attempts.push_back(
        {.url = origin.str() + question.path, .call = client->open(request(origin, question))});
  }
  Status last(Reason::kServiceUnavailable, "no endpoints");
  for (const Attempt& attempt : attempts) {
    const Result<http::ResponseHead> head = attempt.call->head(until);
    if (head && is_success(head->status)) return {};
    last = failure(attempt.url, head);
    if (!api.authority_pem.empty()) last = with_trust_hint(last, "caBundle");
  }
  return last;
}

}  // namespace proa::apiserver
