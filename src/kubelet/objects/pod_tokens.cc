#include "kubelet/objects/pod_tokens.h"

#include <algorithm>
#include <optional>

#include "api/object/edit.h"
#include "base/log.h"
#include "json/print.h"

namespace proa::kubelet {
namespace pod_tokens {

const Log kLog{"kubelet"};

constexpr Duration kMaxAge = std::chrono::hours(24);
// Pods that started together don't come back together.
constexpr Duration kMaxJitter = std::chrono::seconds(10);

std::string request_text(const Pod& pod, const std::string& audience, int64_t seconds) {
  json::Document document(json::Arena(), json::Value::object());
  const api::Edit root(document);
  root.set("kind", "TokenRequest");
  root.set("apiVersion", "authentication.k8s.io/v1");
  root.object("metadata");
  const api::Edit spec = root.object("spec");
  const api::Edit audiences = spec.array("audiences");
  if (!audience.empty()) audiences.push(json::Value::string(document.arena(), audience));
  if (seconds > 0) spec.set("expirationSeconds", seconds);
  const api::Edit bound = spec.object("boundObjectRef");
  bound.set("kind", "Pod");
  bound.set("apiVersion", "v1");
  bound.set("name", pod.name());
  bound.set("uid", pod.uid());
  return json::print(document.root());
}

}  // namespace pod_tokens

Result<BoundToken> request_token(client::Client& client, const api::Schema& schema, const Pod& pod,
                                 const std::string& audience, int64_t seconds) {
  client::Place place;
  place.resource = schema.find_resource("", "v1", "serviceaccounts");
  CHECK(place.resource != nullptr);
  place.name_space = pod.name_space();
  place.name = pod.spec()["serviceAccountName"].text("default");
  place.subresource = "token";
  const api::ObjectPtr answer =
      TRY(client.create(place, pod_tokens::request_text(pod, audience, seconds), {}));
  const json::Document document = TRY(answer->document());
  const api::View status = api::View(document.root())["status"];
  BoundToken bound;
  bound.token = status["token"].text();
  bound.expires = TRY(parse_time(status["expirationTimestamp"].text()));
  if (bound.token.empty()) return Status(Reason::kInternalError, "the answer has no token");
  return bound;
}

PodTokens::Kept PodTokens::keep(BoundToken token) {
  const Time now = clock_.now();
  const Duration lasts = std::max(token.expires - now, Duration::zero());
  const Duration jitter(random_.below(static_cast<uint64_t>(pod_tokens::kMaxJitter.count())));
  const Time renew = now + std::min(lasts / 5 * 4, pod_tokens::kMaxAge) - jitter;
  return {.token = std::move(token), .renew = std::max(renew, now)};
}

Result<BoundToken> PodTokens::get(const Pod& pod, const std::string& audience, int64_t seconds) {
  const Key key{.pod_uid = pod.uid(), .audience = audience, .seconds = seconds};
  std::optional<Kept> known;
  {
    MutexLock lock(mutex_);
    if (const auto found = kept_.find(key); found != kept_.end()) known = found->second;
  }
  const Time now = clock_.now();
  if (known && now < known->renew) return known->token;
  Result<BoundToken> fresh = request_token(client_, schema_, pod, audience, seconds);
  if (fresh) {
    MutexLock lock(mutex_);
    kept_[key] = keep(*fresh);
    return fresh;
  }
  if (!known) return fresh.status().in("failed to fetch token");
  if (now > known->token.expires) {
    return fresh.status().in("token of pod " + pod.key().str() + " expired and refresh failed");
  }
  pod_tokens::kLog.warn("couldn't update token",
                        {{"pod", pod.key().str()}, {"why", fresh.status()}});
  return known->token;
}

void PodTokens::forget(const std::string& pod_uid) {
  MutexLock lock(mutex_);
  std::erase_if(kept_, [&pod_uid](const auto& kept) { return kept.first.pod_uid == pod_uid; });
}

}  // namespace proa::kubelet
