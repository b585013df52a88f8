#include "controllers/network/balancers/load_balancers.h"

#include <algorithm>
#include <map>

#include "api/object/edit.h"
#include "base/check.h"
#include "base/threads/mutex.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/network/balancers/address_pool.h"
#include "controllers/network/balancers/address_source.h"
#include "controllers/network/balancers/load_balancer.h"
#include "kinds/core/services/announcements.h"

namespace proa::controllers {
namespace load_balancers {

using api::Edit;
using client::Again;
using client::Key;

// Before a Service without an address is told so again; what it waits for is an event.
constexpr Duration kProblemRepeat = std::chrono::minutes(5);

std::vector<std::string> is_balanced(const api::Object& service) {
  if (!balancer_facts(service).concerns_us()) return {};
  return {""};
}

void mark_announced(const Edit& metadata, bool announced) {
  if (announced) {
    metadata.object("labels").set(kinds::kAnnouncedLabel, "true");
  } else if (metadata.has("labels")) {
    metadata.object("labels").remove(kinds::kAnnouncedLabel);
  }
}

std::unique_ptr<AddressSource> make_source(const ControllerContext& context) {
  Result<std::vector<IpPrefix>> pool = parse_load_balancer_pool(context.options.load_balancer_pool);
  CHECK(pool);  // the flag was checked
  if (pool->empty()) return make_node_addresses(context);
  return make_pool_addresses(context, std::move(*pool));
}

class LoadBalancerController final : public Controller {
 public:
  explicit LoadBalancerController(const ControllerContext& context)
      : client_(context.client),
        events_(context.events),
        resource_(*context.schema.find_resource("", "v1", "services")),
        services_(context.informers.indexed("", "services", AddressSource::kServed, is_balanced)),
        nodes_(context.informers.of("", "nodes")),
        written_(services_),
        source_(make_source(context)) {}

  void listen(client::WorkQueue& queue) override {
    queue_ = &queue;
    services_.add_handler([&queue](const client::Change& change) {
      const bool concerns_us = change.after ? balancer_facts(*change.after).concerns_us()
                                            : balancer_facts(*change.before).wanted;
      if (concerns_us) queue.add(change.key);
    });
    source_->listen(queue);
  }

  void caches_filled() override { source_->caches_filled(); }

  Result<Again> reconcile(const Key& key) override {
    if (key.name_space.empty()) {
      for (const Key& service : source_->expand(key)) queue_->add(service);
      return Again{};
    }
    if (!written_.is_fresh(key)) return kNotYet;
    const api::ObjectPtr service = services_.cache().get(key);
    Result<Again> done = service ? reconcile(*service) : release(key);
    for (const Key& waiting : source_->take_waiting()) queue_->add(waiting);
    return done;
  }

 private:
  Result<Again> reconcile(const api::Object& service) {
    const BalancerFacts& facts = balancer_facts(service);
    Result<Again> done = facts.to_clean_up() ? clean_up(service)
                         : facts.is_served() ? ensure(service)
                                             : Result<Again>(Again{});
    if (!done) report(service, done.status().message());
    return done;
  }

  Result<Again> release(const Key& key) EXCLUDES(mutex_) {
    source_->release(key);
    MutexLock lock(mutex_);
    told_.erase(key);
    return Again{};
  }

  void report(const api::Object& service, const std::string& problem) {
    events_.warning(client::ObjectReference::to(service), "SyncLoadBalancerFailed",
                    "Error syncing load balancer: " + problem);
  }

  Result<Again> ensure(const api::Object& service) {
    const BalancerFacts& facts = balancer_facts(service);
    const AddressSource::Answer wanted = source_->addresses_of(service);
    const bool is_new = !facts.has_finalizer;
    const bool is_same = !is_new && facts.addresses == wanted.addresses &&
                         facts.announced == source_->is_announced();
    if (!is_same) TRY(change(service, wanted));
    tell_ignored(service, wanted.ignored);
    if (wanted.problem.empty()) return Again{};
    if (wanted.addresses.empty() || source_->is_announced()) {
      report(service, "failed to ensure load balancer: " + wanted.problem);
    } else if (!is_same) {
      // It works, by the other nodes. Reported with the change, not again and again.
      events_.warning(client::ObjectReference::to(service), "LoadBalancerNotOnAllNodes",
                      "Not all nodes serve the load balancer: " + wanted.problem);
    }
    return Again{kProblemRepeat};
  }

  // Once, until it is something else.
  void tell_ignored(const api::Object& service, const std::string& what) EXCLUDES(mutex_) {
    {
      MutexLock lock(mutex_);
      const Key key = Key::of(service);
      const auto told = told_.find(key);
      if (what == (told == told_.end() ? "" : told->second)) return;
      if (what.empty()) {
        told_.erase(key);
        return;
      }
      told_[key] = what;
    }
    events_.warning(client::ObjectReference::to(service), "LoadBalancerIPIgnored", what);
  }

  Result<void> change(const api::Object& service, const AddressSource::Answer& wanted) {
    const client::ObjectReference about = client::ObjectReference::to(service);
    const bool is_new = !balancer_facts(service).has_finalizer;
    if (is_new) events_.normal(about, "EnsuringLoadBalancer", "Ensuring load balancer");
    const Result<void> written = write(service, wanted.addresses);
    if (!written) return written.status().in("failed to update load balancer status");
    if (!has_usable_node()) {
      events_.warning(about, "UnAvailableLoadBalancer",
                      "There are no available nodes for LoadBalancer");
    }
    if (wanted.addresses.empty() && !wanted.problem.empty()) return {};
    if (is_new || balancer_facts(service).addresses.empty()) {
      events_.normal(about, "EnsuredLoadBalancer", "Ensured load balancer");
    } else if (!wanted.addresses.empty()) {
      events_.normal(about, "UpdatedLoadBalancer", "Updated load balancer with new hosts");
    }
    return {};
  }

  bool has_usable_node() const {
    const std::vector<api::ObjectPtr> nodes = nodes_.cache().list();
    return std::any_of(nodes.begin(), nodes.end(),
                       [](const api::ObjectPtr& node) { return forwarder_of(*node).usable; });
  }

  // Adds the finalizer and sets the addresses in one write.
  Result<void> write(const api::Object& service, const std::vector<std::string>& addresses) {
    json::Document document = TRY(service.document());
    const Edit object(document);
    if (!balancer_facts(service).has_finalizer) {
      object.object("metadata")
          .array("finalizers")
          .push(json::Value::string(document.arena(), kBalancerFinalizer));
    }
    mark_announced(object.object("metadata"), source_->is_announced());
    const Edit balancer = object.object("status").object("loadBalancer");
    balancer.remove("ingress");
    if (!addresses.empty()) {
      const Edit ingress = balancer.array("ingress");
      for (const std::string& address : addresses) {
        const Edit one = ingress.push_object();
        one.set("ip", address);
        one.set("ipMode", "VIP");
      }
    }
    return update(service, std::move(document));
  }

  Result<Again> clean_up(const api::Object& service) {
    const client::ObjectReference about = client::ObjectReference::to(service);
    events_.normal(about, "DeletingLoadBalancer", "Deleting load balancer");
    json::Document document = TRY(service.document());
    const Edit object(document);
    object.object("status").set("loadBalancer", json::Value::object());
    mark_announced(object.object("metadata"), false);
    const Edit finalizers = object.object("metadata").array("finalizers");
    for (size_t i = finalizers.size(); i-- > 0;) {
      if (finalizers.view().item(i).text() == kBalancerFinalizer) finalizers.value().erase(i);
    }
    const Result<void> removed = unless_gone(update(service, std::move(document)));
    if (!removed) return removed.status().in("failed to remove load balancer cleanup finalizer");
    events_.normal(about, "DeletedLoadBalancer", "Deleted load balancer");
    return release(Key::of(service));
  }

  // The account may only update the status, which accepts finalizers, too.
  Result<void> update(const api::Object& service, json::Document document) {
    const Key key = Key::of(service);
    const Result<api::ObjectPtr> updated =
        client_.update(place_of(resource_, key, "status"), std::move(document), {});
    if (updated) {
      written_.wrote(key, **updated);
      return {};
    }
    written_.failed(key, updated.status());
    return updated.status();
  }

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  const api::Resource& resource_;
  client::Informer& services_;
  client::Informer& nodes_;
  Freshness written_;
  const std::unique_ptr<AddressSource> source_;
  client::WorkQueue* queue_ = nullptr;
  Mutex mutex_;
  std::map<Key, std::string> told_ GUARDED_BY(mutex_);  // by tell_ignored()
};

}  // namespace load_balancers

std::unique_ptr<Controller> make_load_balancer_controller(const ControllerContext& context) {
  return std::make_unique<load_balancers::LoadBalancerController>(context);
}

}  // namespace proa::controllers
