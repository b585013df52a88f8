#include "controllers/network/load_balancers.h"

#include "api/object/edit.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/network/load_balancer.h"
#include "json/print.h"

namespace proa::controllers {
namespace load_balancers {

using api::Edit;
using client::Again;
using client::Key;

// Stands for all nodes; no service has an empty name.
const Key kNodes{"", ""};
constexpr const char* kIndex = "network-load-balancer";

std::vector<std::string> is_balanced(const api::Object& service) {
  if (!balancer_facts(service).concerns_us()) return {};
  return {""};
}

class LoadBalancerController final : public Controller {
 public:
  explicit LoadBalancerController(const ControllerContext& context)
      : client_(context.client),
        events_(context.events),
        resource_(*context.schema.find_resource("", "v1", "services")),
        services_(context.informers.of("", "services")),
        nodes_(context.informers.of("", "nodes")),
        written_(services_) {
    services_.add_index(kIndex, is_balanced);
  }

  void listen(client::WorkQueue& queue) override {
    queue_ = &queue;
    services_.add_handler([&queue](const client::Change& change) {
      if (change.after != nullptr && balancer_facts(*change.after).concerns_us()) {
        queue.add(change.key);
      }
    });
    nodes_.add_handler([&queue](const client::Change& change) {
      if (change.before == nullptr || change.after == nullptr ||
          !is_same_forwarder(*change.before, *change.after)) {
        queue.add(kNodes);
      }
    });
  }

  Result<Again> reconcile(const Key& key) override {
    if (key == kNodes) {
      for (const api::ObjectPtr& service : services_.cache().find(kIndex, "")) {
        queue_->add(Key::of(*service));
      }
      return Again{};
    }
    if (!written_.is_fresh(key)) return kNotYet;
    const api::ObjectPtr service = services_.cache().get(key);
    if (service == nullptr) return Again{};
    const BalancerFacts& facts = balancer_facts(*service);
    const Result<void> done = facts.to_clean_up()                    ? clean_up(*service)
                              : facts.wanted && !facts.being_deleted ? ensure(*service)
                                                                     : Result<void>();
    if (done) return Again{};
    events_.warning(client::ObjectReference::to(*service), "SyncLoadBalancerFailed",
                    "Error syncing load balancer: " + done.status().message());
    return done.status();
  }

 private:
  Result<void> ensure(const api::Object& service) {
    const BalancerFacts& facts = balancer_facts(service);
    const std::vector<std::string> wanted =
        balancer_addresses(nodes_.cache().list(), facts.families);
    if (facts.has_finalizer && facts.addresses == wanted) return {};
    const client::ObjectReference about = client::ObjectReference::to(service);
    const bool is_new = !facts.has_finalizer;
    if (is_new) events_.normal(about, "EnsuringLoadBalancer", "Ensuring load balancer");
    const Result<void> written = write(service, wanted);
    if (!written) return written.status().in("failed to update load balancer status");
    if (wanted.empty()) {
      events_.warning(about, "UnAvailableLoadBalancer",
                      "There are no available nodes for LoadBalancer");
    }
    if (is_new) {
      events_.normal(about, "EnsuredLoadBalancer", "Ensured load balancer");
    } else if (!wanted.empty()) {
      events_.normal(about, "UpdatedLoadBalancer", "Updated load balancer with new hosts");
    }
    return {};
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
    const Edit balancer = object.object("status").object("loadBalancer");
    balancer.remove("ingress");
    if (!addresses.empty()) {
      const Edit ingress = balancer.array("ingress");
      for (const std::string& address : addresses) ingress.push_object().set("ip", address);
    }
    return update(service, std::move(document));
  }

  Result<void> clean_up(const api::Object& service) {
    const client::ObjectReference about = client::ObjectReference::to(service);
    events_.normal(about, "DeletingLoadBalancer", "Deleting load balancer");
    json::Document document = TRY(service.document());
    const Edit object(document);
    object.object("status").set("loadBalancer", json::Value::object());
    const Edit finalizers = object.object("metadata").array("finalizers");
    for (size_t i = finalizers.size(); i-- > 0;) {
      if (finalizers.view().item(i).text() == kBalancerFinalizer) finalizers.value().erase(i);
    }
    const Result<void> removed = unless_gone(update(service, std::move(document)));
    if (!removed) return removed.status().in("failed to remove load balancer cleanup finalizer");
    events_.normal(about, "DeletedLoadBalancer", "Deleted load balancer");
    return {};
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
  client::WorkQueue* queue_ = nullptr;
};

}  // namespace load_balancers

std::unique_ptr<Controller> make_load_balancer_controller(const ControllerContext& context) {
  return std::make_unique<load_balancers::LoadBalancerController>(context);
}

}  // namespace proa::controllers
