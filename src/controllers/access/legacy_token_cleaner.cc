#include "controllers/access/legacy_token_cleaner.h"

#include <algorithm>
#include <map>

#include "api/object/edit.h"
#include "controllers/access/bootstrap_tokens.h"
#include "controllers/access/pod_secrets.h"
#include "controllers/framework/writes.h"
#include "json/print.h"

namespace proa::controllers {
namespace legacy_token_cleaner {

using client::Again;
using client::Key;
using Names = std::set<std::string, std::less<>>;

constexpr Duration kCheckInterval = std::chrono::hours(24);
// The tracking ConfigMap has dates only: tracking is active by the end of that day.
constexpr Duration kDateGranularity = std::chrono::hours(24);
constexpr std::string_view kLastUsed = "kubernetes.io/legacy-token-last-used";
constexpr std::string_view kInvalidSince = "kubernetes.io/legacy-token-invalid-since";

// "2026-01-02"; such dates compare as text.
std::string date_of(Time time) { return format_time(time).substr(0, 10); }

std::optional<Time> parse_date(std::string_view date) {
  if (date.size() != 10) return std::nullopt;
  const Result<Time> time = parse_time(std::string(date) + "T00:00:00Z");
  return time ? std::optional(*time) : std::nullopt;
}

// Only Secrets that the account lists were generated with it.
bool names_secret(api::View account, std::string_view secret) {
  const auto secrets = account["secrets"].items();
  return std::any_of(secrets.begin(), secrets.end(),
                     [&](const api::View one) { return one["name"].text() == secret; });
}

json::Document mark(const api::Object& secret, Time now) {
  json::Document patch({}, json::Value::object());
  const api::Edit metadata = api::Edit(patch).object("metadata");
  metadata.set("uid", secret.metadata().uid);
  metadata.object("labels").set(kInvalidSince, date_of(now));
  return patch;
}

class LegacyTokenCleaner final : public Controller {
 public:
  explicit LegacyTokenCleaner(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        secret_resource_(*context.schema.find_resource("", "v1", "secrets")),
        map_resource_(*context.schema.find_resource("", "v1", "configmaps")),
        secrets_(context.informers.of("", "secrets")),
        accounts_(context.informers.of("", "serviceaccounts")),
        pods_(context.informers.of("", "pods")) {}

  size_t workers() const override { return 1; }

  void listen(client::WorkQueue& queue) override { queue.add({"", "all"}); }

  Result<Again> reconcile(const Key&) override {
    const Time now = clock_.now();
    const std::optional<Time> recorded_since = TRY(start_of_records());
    if (!recorded_since || now < *recorded_since + kLegacyTokenPeriod) return Again{kCheckInterval};
    Result<void> outcome;  // one failure does not stop the others
    std::map<std::string, Names, std::less<>> used;
    for (const api::ObjectPtr& secret : secrets_.cache().list()) {
      if (secret_type(*secret) != "kubernetes.io/service-account-token") continue;
      const json::Document document = TRY(secret->document());
      const LegacyTokenFate fate = fate_of_legacy_token(document.root(), now, kLegacyTokenPeriod);
      if (fate == LegacyTokenFate::kKeep || !was_made_along(document.root())) continue;
      const std::string_view name_space = secret->metadata().name_space;
      const auto [names, is_new] = used.try_emplace(std::string(name_space));
      if (is_new) names->second = TRY(used_in(name_space));
      if (names->second.contains(secret->metadata().name)) continue;
      if (const Result<void> acted = act(*secret, fate, now); !acted) outcome = acted;
    }
    TRY(outcome);
    return Again{kCheckInterval};
  }

 private:
  // The end of the day on which the API server started to track token use; nullopt if it does not.
  Result<std::optional<Time>> start_of_records() {
    const Result<api::ObjectPtr> found = client_.get(place_of(
        map_resource_, {"kube-system", "kube-apiserver-legacy-service-account-token-tracking"}));
    const std::optional<Time> unknown;
    if (found.is(Reason::kNotFound)) return unknown;
    const api::ObjectPtr map = TRY(found);
    const json::Document document = TRY(map->document());
    const std::optional<Time> since =
        parse_date(api::View(document.root())["data"]["since"].text());
    return since ? *since + kDateGranularity : unknown;
  }

  bool was_made_along(api::View secret) const {
    const api::View metadata = secret["metadata"];
    const std::string_view name =
        metadata["annotations"]["kubernetes.io/service-account.name"].text();
    const std::string_view uid =
        metadata["annotations"]["kubernetes.io/service-account.uid"].text();
    const api::ObjectPtr account =
        accounts_.cache().get({std::string(metadata["namespace"].text()), std::string(name)});
    if (account == nullptr || (!uid.empty() && uid != account->metadata().uid)) return false;
    const Result<json::Document> document = account->document();
    return document && names_secret(document->root(), metadata["name"].text());
  }

  Result<Names> used_in(std::string_view name_space) const {
    Names names;
    for (const api::ObjectPtr& pod : pods_.cache().list(name_space)) {
      const json::Document document = TRY(pod->document());
      add_secrets_of_pod(document.root(), names);
    }
    return names;
  }

  Result<void> act(const api::Object& secret, LegacyTokenFate fate, Time now) {
    const client::Place place = place_of(secret_resource_, Key::of(secret));
    if (fate == LegacyTokenFate::kMark) {
      return unless_gone(client_.patch(place, api::PatchType::kMerge, mark(secret, now), {}));
    }
    client::RemoveChoices choices;
    choices.resource_version = std::string(secret.metadata().resource_version);
    const Result<void> removed = client_.remove(place, choices);
    // It has changed, perhaps by use; retried on the next day.
    if (removed.is(Reason::kConflict)) return {};
    return unless_gone(removed);
  }

  const client::BoundedClient client_;
  Clock& clock_;
  const api::Resource& secret_resource_;
  const api::Resource& map_resource_;
  client::Informer& secrets_;
  client::Informer& accounts_;
  client::Informer& pods_;
};

}  // namespace legacy_token_cleaner

LegacyTokenFate fate_of_legacy_token(api::View secret, Time now, Duration period) {
  using namespace legacy_token_cleaner;
  const api::View metadata = secret["metadata"];
  const Result<Time> created = parse_time(metadata["creationTimestamp"].text());
  if (!created || *created >= now - period) return LegacyTokenFate::kKeep;
  if (metadata["deletionTimestamp"]) return LegacyTokenFate::kKeep;
  const std::string oldest = date_of(now - period);
  const api::View last_used = metadata["labels"][kLastUsed];
  if (last_used && (!parse_date(last_used.text()) || last_used.text() >= oldest)) {
    return LegacyTokenFate::kKeep;
  }
  const std::string_view invalid_since = metadata["labels"][kInvalidSince].text();
  if (!parse_date(invalid_since)) return LegacyTokenFate::kMark;
  return invalid_since >= oldest ? LegacyTokenFate::kKeep : LegacyTokenFate::kRemove;
}

std::unique_ptr<Controller> make_legacy_token_cleaner(const ControllerContext& context) {
  return std::make_unique<legacy_token_cleaner::LegacyTokenCleaner>(context);
}

}  // namespace proa::controllers
