#include "apiserver/access/admission/quota/resource_quota.h"

#include <algorithm>

#include "apiserver/objects/keys.h"

namespace proa::apiserver {
namespace resource_quota {

using api::View;

// Reads the store. Also knows the resource of the request, which may be a custom one.
class StoredObjects final : public quota::ClusterObjects {
 public:
  StoredObjects(const store::Store& store, const api::Schema& schema, const Clock& clock,
                const api::Resource& own)
      : store_(store), schema_(schema), clock_(clock), own_(own) {}

  Time now() const override { return clock_.now(); }

  bool has(std::string_view group, std::string_view resource) const override {
    const api::Resource* found = find(group, resource);
    return found != nullptr && found->namespaced;
  }

  Result<std::vector<api::ObjectPtr>> list(std::string_view group, std::string_view resource,
                                           std::string_view name_space) const override {
    std::vector<api::ObjectPtr> objects;
    const api::Resource* found = find(group, resource);
    if (found == nullptr) return objects;
    const store::RangeResult range =
        TRY(store_.range({.keys = store::KeyRange::prefix(prefix_of(*found, name_space))}));
    for (const store::EntryPtr& entry : range.entries) objects.push_back(object_of(entry));
    return objects;
  }

 private:
  // The stored version; null if there is none.
  const api::Resource* find(std::string_view group, std::string_view resource) const {
    const auto is_it = [&](const api::Resource& one) {
      return one.name == resource && one.group == group && one.stored != nullptr &&
             !one.stored->key_prefix.empty();
    };
    if (is_it(own_)) return own_.stored;
    for (const api::Resource* one : schema_.resources()) {
      if (is_it(*one)) return one->stored;
    }
    return nullptr;
  }

  const store::Store& store_;
  const api::Schema& schema_;
  const Clock& clock_;
  const api::Resource& own_;
};

// An earlier write to the quota in the same commit, which may contain several objects.
store::Put* find_put(store::Txn& txn, std::string_view key) {
  for (store::Operation& operation : txn.operations) {
    auto* put = std::get_if<store::Put>(&operation);
    if (put != nullptr && put->key == key) return put;
  }
  return nullptr;
}

std::string_view part_of(const Request& request) {
  return request.subresource == nullptr ? std::string_view() : request.subresource->name;
}

Status refusal(const quota::Decision& decision, View object, const Step& step) {
  if (decision.is_unexplained) return Status(Reason::kUnknown, decision.refusal);
  const Admission admission{.request = step.request,
                            .operation = step.old ? Operation::kUpdate : Operation::kCreate,
                            .old = step.old,
                            .dry_run = step.dry_run};
  return admission.forbidden(object, decision.refusal);
}

}  // namespace resource_quota

// A quota of the namespace and its changes.
struct ResourceQuota::Stored {
  std::string key;
  store::Revision revision;  // at which it was read
  json::Document document = {};
  quota::QuotaFacts facts = {};
  bool recalculated = false;  // its status has to be written

  api::View root() const { return document.root(); }
};

Result<std::unique_ptr<AdmissionPlugin>> ResourceQuota::make(const AdmissionContext& context) {
  quota::Configuration configuration = TRY(quota::read_configuration(context.configuration));
  return std::unique_ptr<AdmissionPlugin>(
      std::make_unique<ResourceQuota>(context, std::move(configuration)));
}

ResourceQuota::ResourceQuota(const AdmissionContext& context, quota::Configuration configuration)
    : store_(context.store),
      schema_(context.schema),
      clock_(context.clock),
      resource_(*context.schema.find_resource("", "v1", "resourcequotas")),
      configuration_(std::move(configuration)) {}

bool ResourceQuota::concerns(const api::Resource& resource) const {
  return resource.namespaced && kinds::quota::is_measured(resource.group, resource.name);
}

Result<void> ResourceQuota::on_write(api::Edit object, const Step& step) {
  const api::Resource& resource = *step.request.resource;
  const auto evaluator = kinds::quota::evaluator_of(resource.group, resource.name);
  const resource_quota::StoredObjects cluster(store_, schema_, clock_, resource);
  const quota::Demand demand{.evaluator = *evaluator,
                             .group = resource.group,
                             .resource = resource.name,
                             .change = {.subresource = resource_quota::part_of(step.request),
                                        .object = object.view(),
                                        .old = step.old},
                             .cluster = cluster};
  if (!evaluator->concerns(demand.change)) return {};
  std::vector<Stored> quotas = TRY(read_and_lock(demand, step));
  std::vector<quota::QuotaFacts> facts;
  for (Stored& one : quotas) {
    if (quota::is_limited_by(one.facts, object.view(), demand)) {
      TRY(settle(one, step, cluster));
    }
    facts.push_back(one.facts);
  }
  const quota::Decision decision = TRY(quota::decide(demand, facts, configuration_));
  if (!decision.refusal.empty()) return resource_quota::refusal(decision, object.view(), step);
  if (step.dry_run) return {};
  return charge(std::move(quotas), decision.charges, step.txn);
}

Result<std::vector<ResourceQuota::Stored>> ResourceQuota::read_quotas(const Step& step) const {
  std::vector<Stored> quotas;
  const store::RangeResult range = TRY(store_.range(
      {.keys = store::KeyRange::prefix(prefix_of(resource_, step.request.name_space))}));
  for (const store::EntryPtr& entry : range.entries) {
    const store::Put* put = resource_quota::find_put(step.txn, entry->key());
    const api::ObjectPtr object =
        put == nullptr ? object_of(entry) : api::Object::make(std::string(put->value.view()));
    Stored stored{.key = std::string(entry->key()), .revision = entry->mod_revision()};
    stored.document = TRY(object->document());
    const api::View quota = stored.root();
    stored.facts = {.name = std::string(quota["metadata"]["name"].text()),
                    .scopes = kinds::quota::scope_rules_of(quota["spec"]),
                    .hard = kinds::quota::read_amounts(quota["spec"]["hard"]),
                    .used = kinds::quota::read_amounts(quota["status"]["used"])};
    quotas.push_back(std::move(stored));
  }
  return quotas;
}

// Writers that charge a quota take the lock exclusively, as their commits would conflict. Others
// share it; a writer that computes the initial usage of a new quota thereby waits for writers that
// have not seen the quota.
Result<std::vector<ResourceQuota::Stored>> ResourceQuota::read_and_lock(const quota::Demand& demand,
                                                                        const Step& step) {
  if (step.dry_run) return read_quotas(step);
  std::shared_ptr<void> shared = locks_.share(step.request.name_space);
  std::vector<Stored> quotas = TRY(read_quotas(step));
  const bool charges = std::any_of(quotas.begin(), quotas.end(), [&](const Stored& one) {
    return quota::is_limited_by(one.facts, demand.change.object, demand);
  });
  if (!charges) {
    step.held.push_back(std::move(shared));
    return quotas;
  }
  shared.reset();
  step.held.push_back(locks_.take(step.request.name_space));
  return read_quotas(step);
}

Result<void> ResourceQuota::settle(Stored& stored, const Step& step,
                                   const quota::ClusterObjects& cluster) const {
  quota::QuotaFacts& facts = stored.facts;
  const quota::ResourceNames names = kinds::quota::names_of(facts.hard);
  const quota::ResourceNames measured = kinds::quota::measured_names(names, cluster);
  const bool is_known = std::all_of(measured.begin(), measured.end(), [&](const std::string& name) {
    return facts.used.contains(name);
  });
  const quota::Amounts stated = kinds::quota::read_amounts(stored.root()["status"]["hard"]);
  if (is_known && stated == facts.hard) return {};
  facts.used =
      TRY(kinds::quota::usage_of_namespace(step.request.name_space, names, facts.scopes, cluster));
  stored.recalculated = true;
  return {};
}

Result<void> ResourceQuota::charge(std::vector<Stored> quotas,
                                   const std::vector<quota::Amounts>& charges,
                                   store::Txn& txn) const {
  for (size_t i = 0; i < quotas.size(); ++i) {
    Stored& one = quotas[i];
    if (charges[i].empty()) continue;
    kinds::quota::add(one.facts.used, charges[i]);
    const api::Edit status = api::Edit(one.document).object("status");
    if (one.recalculated) status.copy("hard", one.root()["spec"]["hard"]);
    kinds::quota::write_amounts(status, "used", one.facts.used);
    StoredText text = TRY(encode_for_store(std::move(one.document), *resource_.type));
    store::Put put{.key = one.key,
                   .value = Bytes(std::move(text.json)),
                   .ttl = std::nullopt,
                   .stamp_at = text.stamp_at};
    if (store::Put* before = resource_quota::find_put(txn, one.key)) {
      *before = std::move(put);
      continue;
    }
    txn.compares.push_back({one.key, one.revision});
    txn.operations.emplace_back(std::move(put));
  }
  return {};
}

}  // namespace proa::apiserver
