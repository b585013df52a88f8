#include "controllers/storage/protection.h"

#include <algorithm>
#include <set>

#include "base/strings.h"
#include "controllers/storage/finalizers.h"
#include "controllers/storage/pod_claims.h"
#include "json/text/scan.h"

namespace proa::controllers {
namespace protection {

using client::Again;
using client::Change;
using client::Key;
using json::Scan;

constexpr std::string_view kClaims = "kubernetes.io/pvc-protection";
constexpr std::string_view kVolumes = "kubernetes.io/pv-protection";
constexpr std::string_view kAttributesClasses = "kubernetes.io/vac-protection";

bool lacks(const api::Object& object, std::string_view finalizer) {
  return !object.metadata().being_deleted && !storage::has_finalizer(object, finalizer);
}

// Being deleted, and still with this finalizer.
bool may_go(const api::Object& object, std::string_view finalizer) {
  return object.metadata().being_deleted && storage::has_finalizer(object, finalizer);
}

// A resource with a protection finalizer. Admission adds it to new objects; older ones get it here.
class Protected {
 public:
  Protected(const ControllerContext& context, std::string_view group, std::string_view resource,
            std::string_view finalizer)
      : client_(context.client),
        resource_(*context.schema.find_resource(group, "v1", resource)),
        informer_(context.informers.of(group, resource)),
        finalizer_(finalizer) {}

  client::Informer& informer() { return informer_; }
  api::ObjectPtr get(const Key& key) const { return informer_.cache().get(key); }
  bool may_go(const api::Object& object) const { return protection::may_go(object, finalizer_); }

  void listen(client::WorkQueue& queue) {
    informer_.add_handler([this, &queue](const Change& change) {
      if (change.after == nullptr) return;
      if (lacks(*change.after, finalizer_) || may_go(*change.after)) queue.add(change.key);
    });
  }

  Result<Again> add_where_missing(const api::Object& object) {
    if (lacks(object, finalizer_)) {
      TRY(storage::add_finalizer(client_, resource_, object, finalizer_));
    }
    return Again{};
  }

  Result<Again> let_go(const api::Object& object) {
    TRY(storage::remove_finalizer(client_, resource_, object, finalizer_));
    return Again{};
  }

 private:
  const client::BoundedClient client_;
  const api::Resource& resource_;
  client::Informer& informer_;
  const std::string_view finalizer_;
};

class ClaimProtection final : public Controller {
 public:
  explicit ClaimProtection(const ControllerContext& context)
      : client_(context.client),
        pods_resource_(*context.schema.find_resource("", "v1", "pods")),
        pods_(storage::pods_by_claim(context.informers)),
        claims_(context, "", "persistentvolumeclaims", kClaims) {}

  void listen(client::WorkQueue& queue) override {
    claims_.listen(queue);
    pods_.add_handler([this, &queue](const Change& change) {
      const bool replaced = change.before != nullptr && change.after != nullptr &&
                            change.before->metadata().uid != change.after->metadata().uid;
      if (change.after == nullptr || replaced) look_at_claims(*change.before, queue);
      // Other pods still use the claim.
      if (change.after == nullptr) return;
      const storage::PodClaims& pod = storage::pod_claims(*change.after);
      if (pod.terminated || pod.shut_down || pod.node.empty()) look_at_claims(*change.after, queue);
    });
  }

  Result<Again> reconcile(const Key& key) override {
    const api::ObjectPtr claim = claims_.get(key);
    if (claim == nullptr) return Again{};
    if (!claims_.may_go(*claim)) return claims_.add_where_missing(*claim);
    const bool used = TRY(is_used(*claim));
    if (used) return Again{};
    return claims_.let_go(*claim);
  }

 private:
  void look_at_claims(const api::Object& pod, client::WorkQueue& queue) const {
    for (const storage::PodClaims::Use& use : storage::pod_claims(pod).uses) {
      const Key key{std::string(pod.metadata().name_space), use.claim};
      const api::ObjectPtr claim = claims_.get(key);
      if (claim != nullptr && claims_.may_go(*claim)) queue.add(key);
    }
  }

  Result<bool> is_used(const api::Object& claim) {
    const std::string key = Key::of(claim).str();
    for (const api::ObjectPtr& pod : pods_.cache().find("claim", key)) {
      if (uses(*pod, claim)) return true;
    }
    // A cache as new as the deletion mark contains all pods that were bound before it; the kubelet
    // does not start pods bound later.
    const int64_t marked = parse_int(claim.metadata().resource_version).value_or(INT64_MAX);
    if (pods_.progress() >= marked) return false;
    return is_used_now(claim);
  }

  // Lists pods from the server: the cache may be stale.
  Result<bool> is_used_now(const api::Object& claim) {
    const client::Place all{.resource = &pods_resource_,
                            .name_space = std::string(claim.metadata().name_space),
                            .name = {},
                            .subresource = {}};
    const client::ObjectList pods = TRY(client_.list(all, {}));
    return std::any_of(pods.items.begin(), pods.items.end(),
                       [&](const api::ObjectPtr& pod) { return uses(*pod, claim); });
  }

  static bool uses(const api::Object& pod, const api::Object& claim) {
    const storage::PodClaims& claims = storage::pod_claims(pod);
    // A pod without a node does not run, and the kubelet starts no pod whose claim is being
    // deleted.
    if (claims.node.empty()) return false;
    return std::any_of(
        claims.uses.begin(), claims.uses.end(), [&](const storage::PodClaims::Use& use) {
          if (use.claim != claim.metadata().name) return false;
          return !use.ephemeral || (!claims.shut_down && storage::is_made_for(claim, pod));
        });
  }

  const client::BoundedClient client_;
  const api::Resource& pods_resource_;
  client::Informer& pods_;
  Protected claims_;
};

class VolumeProtection final : public Controller {
 public:
  explicit VolumeProtection(const ControllerContext& context)
      : volumes_(context, "", "persistentvolumes", kVolumes) {}

  void listen(client::WorkQueue& queue) override { volumes_.listen(queue); }

  Result<Again> reconcile(const Key& key) override {
    const api::ObjectPtr volume = volumes_.get(key);
    if (volume == nullptr) return Again{};
    if (!volumes_.may_go(*volume)) return volumes_.add_where_missing(*volume);
    const std::string_view status = Scan::find(volume->json(), "status");
    if (Scan::unquoted(Scan::find(status, "phase")) == "Bound") return Again{};
    return volumes_.let_go(*volume);
  }

 private:
  Protected volumes_;
};

// All attributes classes that a claim or volume refers to.
std::set<std::string> named_classes(const api::Object& object) {
  const std::string_view spec = Scan::find(object.json(), "spec");
  const std::string_view status = Scan::find(object.json(), "status");
  const std::string_view change = Scan::find(status, "modifyVolumeStatus");
  std::set<std::string> names;
  for (const std::string_view name : {Scan::find(spec, "volumeAttributesClassName"),
                                      Scan::find(status, "currentVolumeAttributesClassName"),
                                      Scan::find(change, "targetVolumeAttributesClassName")}) {
    if (!Scan::unquoted(name).empty()) names.emplace(Scan::unquoted(name));
  }
  return names;
}

std::vector<std::string> index_by_classes(const api::Object& object) {
  const std::set<std::string> names = named_classes(object);
  return {names.begin(), names.end()};
}

class AttributesClassProtection final : public Controller {
 public:
  explicit AttributesClassProtection(const ControllerContext& context)
      : classes_(context, "storage.k8s.io", "volumeattributesclasses", kAttributesClasses),
        users_{&context.informers.of("", "persistentvolumeclaims"),
               &context.informers.of("", "persistentvolumes")} {
    for (client::Informer* users : users_) users->add_index(kIndex, index_by_classes);
  }

  void listen(client::WorkQueue& queue) override {
    classes_.listen(queue);
    for (client::Informer* users : users_) {
      users->add_handler([&queue](const Change& change) {
        if (change.before == nullptr) return;
        std::set<std::string> left = named_classes(*change.before);
        if (left.empty()) return;
        if (change.after != nullptr) {
          for (const std::string& name : named_classes(*change.after)) left.erase(name);
        }
        for (const std::string& name : left) queue.add({"", name});
      });
    }
  }

  Result<Again> reconcile(const Key& key) override {
    const api::ObjectPtr found = classes_.get(key);
    if (found == nullptr) return Again{};
    if (!classes_.may_go(*found)) return classes_.add_where_missing(*found);
    const bool used = std::any_of(users_.begin(), users_.end(), [&](const client::Informer* users) {
      return !users->cache().find(kIndex, key.name).empty();
    });
    if (used) return Again{};
    return classes_.let_go(*found);
  }

 private:
  static constexpr const char* kIndex = "vac-protection";

  Protected classes_;
  const std::vector<client::Informer*> users_;
};

}  // namespace protection

std::unique_ptr<Controller> make_claim_protection(const ControllerContext& context) {
  return std::make_unique<protection::ClaimProtection>(context);
}

std::unique_ptr<Controller> make_volume_protection(const ControllerContext& context) {
  return std::make_unique<protection::VolumeProtection>(context);
}

std::unique_ptr<Controller> make_attributes_class_protection(const ControllerContext& context) {
  return std::make_unique<protection::AttributesClassProtection>(context);
}

}  // namespace proa::controllers
