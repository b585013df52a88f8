#include "controllers/lifecycle/quota/resource_quotas.h"

#include "controllers/framework/custom/custom_informers.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/lifecycle/quota/quota_facts.h"
#include "json/text/scan.h"

namespace proa::controllers {
namespace resource_quotas {

using client::Again;
using client::Key;
using kinds::quota::Amounts;
using kinds::quota::Evaluator;

// Some usage ends without an event, such as pods on lost nodes.
constexpr Duration kResyncInterval = std::chrono::minutes(5);
// Writes in progress when a quota is created may not have been charged.
constexpr Duration kRecheckDelay = std::chrono::seconds(10);

bool is_measured(const api::Resource& resource) {
  return resource.namespaced && !resource.key_prefix.empty() && !resource.is_converted() &&
         kinds::quota::is_measured(resource.group, resource.name);
}

// The objects on the server. Objects are charged in the commits that store them; a stale cache
// would undo charges.
class ServedObjects final : public kinds::quota::ClusterObjects {
 public:
  ServedObjects(const client::BoundedClient& client, const api::Schema& schema,
                const CustomResources& custom, Time now)
      : client_(client), schema_(schema), custom_(custom), now_(now) {}

  Time now() const override { return now_; }

  bool has(std::string_view group, std::string_view resource) const override {
    const Found found = find(group, resource);
    return found.resource != nullptr && found.resource->namespaced;
  }

  Result<std::vector<api::ObjectPtr>> list(std::string_view group, std::string_view resource,
                                           std::string_view name_space) const override {
    const Found found = find(group, resource);
    if (found.resource == nullptr) return std::vector<api::ObjectPtr>();
    client::ObjectList objects = TRY(client_.list({.resource = found.resource,
                                                   .name_space = std::string(name_space),
                                                   .name = {},
                                                   .subresource = {}},
                                                  {}));
    return std::move(objects.items);
  }

 private:
  struct Found {
    const api::Resource* resource = nullptr;
    custom::DefinitionPtr definition = nullptr;  // keeps a custom one alive
  };

  Found find(std::string_view group, std::string_view resource) const {
    for (const api::Resource* one : schema_.resources()) {
      if (one->name == resource && one->group == group && !one->key_prefix.empty() &&
          !one->is_converted()) {
        return {.resource = one};
      }
    }
    const custom::DefinitionPtr definition = custom_.find(group, resource);
    if (definition == nullptr) return {};
    return {.resource = readable_version(definition).resource, .definition = definition};
  }

  const client::BoundedClient client_;
  const api::Schema& schema_;
  const CustomResources& custom_;
  const Time now_;
};

class ResourceQuotas final : public Controller {
 public:
  explicit ResourceQuotas(const ControllerContext& context)
      : client_(context.client),
        schema_(context.schema),
        clock_(context.clock),
        resource_(*context.schema.find_resource("", "v1", "resourcequotas")),
        quotas_(context.informers.of("", "resourcequotas")),
        custom_(context.informers.custom()),
        custom_objects_(context.informers.custom_objects()),
        freshness_(quotas_) {
    for (const api::Resource* one : schema_.resources()) {
      if (!is_measured(*one)) continue;
      measured_.push_back({context.informers.of(one->group, one->name),
                           kinds::quota::evaluator_of(one->group, one->name)});
    }
  }

  void listen(client::WorkQueue& queue) override {
    quotas_.add_handler([&queue](const client::Change& change) {
      if (change.after == nullptr) return;
      // Admission charges the status; that needs no reconcile.
      const auto spec = [](const api::Object& quota) {
        return json::Scan::find(quota.json(), "spec");
      };
      if (change.before == nullptr || spec(*change.before) != spec(*change.after)) {
        queue.add(change.key);
      }
    });
    for (const Measured& one : measured_) {
      one.objects.add_handler([this, &one, &queue](const client::Change& change) {
        add_concerned(*one.evaluator, change, queue);
      });
    }
    custom_objects_.add_follower(
        {.started = [this, &queue](
                        const FollowedCustomPtr& followed) { add_limiting(*followed, {}, queue); },
         .changed =
             [this, &queue](const FollowedCustomPtr& followed, const client::Change& change) {
               // They are only counted, and new ones were counted on creation.
               if (change.after != nullptr) return;
               add_limiting(*followed, change.key.name_space, queue);
             }});
  }

  Result<Again> reconcile(const Key& key) override {
    if (!freshness_.is_fresh(key)) return kNotYet;
    const api::ObjectPtr quota = quotas_.cache().get(key);
    if (quota == nullptr) {
      freshness_.forget(key);
      return Again{};
    }
    const QuotaFacts& facts = quota_facts(*quota);
    const ServedObjects cluster(client_, schema_, custom_, clock_.now());
    // Measured after the quota was read: a later charge changes the quota, and the write below
    // conflicts.
    const Amounts used =
        TRY(kinds::quota::usage_of_namespace(key.name_space, facts.names, facts.scopes, cluster));
    json::Document document = TRY(quota->document());
    const api::View status = api::View(document.root())["status"];
    const bool is_known = kinds::quota::read_amounts(status["hard"]) == facts.hard;
    if (!put_quota_status(api::Edit(document), facts, used)) return Again{kResyncInterval};
    const Result<api::ObjectPtr> written =
        write_status(client_, resource_, quota, std::move(document));
    freshness_.tried(key, written);
    TRY(unless_gone(written));
    return Again{is_known ? kResyncInterval : kRecheckDelay};
  }

 private:
  // A resource and its evaluator.
  struct Measured {
    client::Informer& objects;
    std::unique_ptr<const Evaluator> evaluator;
  };

  // Queues the quotas of a namespace, or of all, that count objects of a custom resource.
  void add_limiting(const FollowedCustom& followed, std::string_view name_space,
                    client::WorkQueue& queue) const {
    if (!followed.resource().namespaced) return;
    const std::string name =
        kinds::quota::count_name(followed.resource().group, followed.resource().name);
    for (const api::ObjectPtr& quota :
         name_space.empty() ? quotas_.cache().list() : quotas_.cache().list(name_space)) {
      if (quota_facts(*quota).names.contains(name)) queue.add(Key::of(*quota));
    }
  }

  // New objects were charged on creation.
  void add_concerned(const Evaluator& evaluator, const client::Change& change,
                     client::WorkQueue& queue) const {
    if (change.before == nullptr) return;
    std::vector<api::ObjectPtr> quotas = quotas_.cache().list(change.key.name_space);
    std::erase_if(quotas, [&](const api::ObjectPtr& quota) {
      return !limits(quota_facts(*quota), evaluator);
    });
    if (quotas.empty()) return;
    const Result<json::Document> before = change.before->document();
    const Result<json::Document> after = change.after == nullptr
                                             ? Result<json::Document>(json::Document())
                                             : change.after->document();
    for (const api::ObjectPtr& quota : quotas) {
      const bool differs = change.after == nullptr || !before || !after ||
                           charges_differently(quota_facts(*quota), evaluator, before->root(),
                                               after->root(), clock_.now());
      if (differs) queue.add(Key::of(*quota));
    }
  }

  const client::BoundedClient client_;
  const api::Schema& schema_;
  Clock& clock_;
  const api::Resource& resource_;
  client::Informer& quotas_;
  const CustomResources& custom_;
  CustomInformers& custom_objects_;
  std::vector<Measured> measured_;
  Freshness freshness_;
};

}  // namespace resource_quotas

std::unique_ptr<Controller> make_resource_quota_controller(const ControllerContext& context) {
  return std::make_unique<resource_quotas::ResourceQuotas>(context);
}

}  // namespace proa::controllers
