#include "controllers/storage/local_path.h"

#include <algorithm>

#include "api/object/edit.h"
#include "base/log.h"
#include "controllers/framework/writes.h"
#include "controllers/storage/finalizers.h"
#include "controllers/storage/local_volume.h"
#include "json/parse.h"
#include "json/print.h"
#include "json/text/scan.h"
#include "kinds/core/volumes/local_path.h"
#include "kinds/core/volumes/volume_facts.h"

namespace proa::controllers {
namespace local_path {

using client::Again;
using client::Change;
using client::Key;
using client::ObjectReference;

const Log kLog{"controllers"};

// Interval of the event of a claim that cannot be provisioned: events expire.
constexpr Duration kEventRepeatInterval = std::chrono::minutes(5);

bool is_ours(const api::Object& storage_class) {
  return kinds::class_facts(storage_class).provisioner == kinds::kLocalPath;
}

bool is_unbound(const api::Object& claim) {
  return kinds::claim_facts(claim).volume.empty() && !claim.metadata().being_deleted;
}

// The binder asked us for a volume.
bool waits_for_us(const api::Object& claim) {
  return is_unbound(claim) && kinds::claim_facts(claim).provisioner == kinds::kLocalPath;
}

// The node of a deleted volume that waits for its directory to be removed; empty if it does not.
std::string_view remover_of(const api::Object& volume) {
  if (!volume.metadata().being_deleted || !storage::has_finalizer(volume, kinds::kLocalPath)) {
    return {};
  }
  using json::Scan;
  const std::string_view all = Scan::find(Scan::find(volume.json(), "metadata"), "annotations");
  return Scan::unquoted(Scan::find(all, kinds::kLocalPathNode));
}

bool is_to_be_deleted(const api::Object& volume) {
  const kinds::VolumeFacts& facts = kinds::volume_facts(volume);
  return facts.provisioned_by == kinds::kLocalPath && facts.phase == "Released" &&
         facts.reclaim_policy == "Delete" && !facts.being_deleted;
}

class LocalPathProvisioner final : public Controller {
 public:
  explicit LocalPathProvisioner(const ControllerContext& context)
      : client_(context.client),
        events_(context.events),
        claim_resource_(*context.schema.find_resource("", "v1", "persistentvolumeclaims")),
        volume_resource_(*context.schema.find_resource("", "v1", "persistentvolumes")),
        class_resource_(*context.schema.find_resource("storage.k8s.io", "v1", "storageclasses")),
        claims_(context.informers.of("", "persistentvolumeclaims")),
        volumes_(context.informers.of("", "persistentvolumes")),
        classes_(context.informers.of("storage.k8s.io", "storageclasses")),
        nodes_(context.informers.of("", "nodes")) {}

  void listen(client::WorkQueue& queue) override {
    queue_ = &queue;
    claims_.add_handler([&queue](const Change& change) {
      if (change.after != nullptr && is_unbound(*change.after)) queue.add(change.key);
    });
    volumes_.add_handler([&queue](const Change& change) {
      if (change.after == nullptr) return;
      if (is_to_be_deleted(*change.after) || !remover_of(*change.after).empty()) {
        queue.add(change.key);
      }
    });
    // Nodes rarely go, so all volumes are scanned.
    nodes_.add_handler([this, &queue](const Change& change) {
      if (change.after != nullptr) return;
      for (const api::ObjectPtr& volume : volumes_.cache().list()) {
        if (remover_of(*volume) == change.key.name) queue.add(Key::of(*volume));
      }
    });
    // Classes rarely change, so all claims are scanned.
    classes_.add_handler([this, &queue](const Change& change) {
      if (change.after == nullptr || !is_ours(*change.after)) return;
      for (const api::ObjectPtr& claim : claims_.cache().list()) {
        if (is_unbound(*claim)) queue.add(Key::of(*claim));
      }
    });
  }

  void caches_filled() override { queue_->add(kClassKey); }

  Result<Again> reconcile(const Key& key) override {
    if (key == kClassKey) return make_class();
    if (key.name_space.empty()) return delete_volume(key);
    return provision(key);
  }

 private:
  static inline const Key kClassKey{};

  // Only at start: later changes and deletions by users are respected.
  Result<Again> make_class() {
    const Key key{"", std::string(storage::kLocalPathClass)};
    if (classes_.cache().get(key) != nullptr) return Again{};
    const std::vector<api::ObjectPtr> all = classes_.cache().list();
    const bool has_default = std::any_of(all.begin(), all.end(), [](const api::ObjectPtr& one) {
      return kinds::class_facts(*one).is_default;
    });
    const Result<api::ObjectPtr> made =
        client_.create(place_of(class_resource_, {}),
                       json::parse_literal(storage::local_path_class(!has_default)), {});
    if (made || made.is(Reason::kAlreadyExists)) return Again{};
    if (!made.is(Reason::kForbidden)) return made.status();
    // The permission was removed on purpose.
    kLog.warn("creating the storage class local-path failed", {{"why", made.status()}});
    return Again{};
  }

  Result<Again> delete_volume(const Key& key) {
    const api::ObjectPtr volume = volumes_.cache().get(key);
    if (volume == nullptr) return Again{};
    const std::string_view remover = remover_of(*volume);
    // The kubelet removes the finalizer with the directory; without a node nobody would.
    if (!remover.empty() && nodes_.cache().get({"", std::string(remover)}) == nullptr) {
      TRY(storage::remove_finalizer(client_, volume_resource_, *volume, kinds::kLocalPath));
      return Again{};
    }
    if (!is_to_be_deleted(*volume)) return Again{};
    const client::RemoveChoices only{
        .uid = std::string(volume->metadata().uid),
        .resource_version = std::string(volume->metadata().resource_version)};
    TRY(unless_gone(client_.remove(place_of(volume_resource_, key), only)));
    return Again{};
  }

  Result<Again> provision(const Key& key) {
    const api::ObjectPtr claim = claims_.cache().get(key);
    if (claim == nullptr || !is_unbound(*claim)) return Again{};
    const kinds::ClaimFacts& facts = kinds::claim_facts(*claim);
    const api::ObjectPtr its_class = classes_.cache().get({"", std::string(facts.class_name())});
    if (its_class == nullptr || !is_ours(*its_class)) return Again{};
    // Told before a node is selected: nothing that waits for a pod would change it.
    const std::string why_not = TRY(refusal_of(*claim, *its_class));
    if (!why_not.empty()) return refuse(*claim, why_not);
    if (!waits_for_us(*claim)) return Again{};
    if (volumes_.cache().get({"", storage::local_volume_name(*claim)}) != nullptr) return Again{};
    if (!facts.selected_node) {
      // WaitForFirstConsumer: the scheduler selects a node first.
      if (kinds::class_facts(*its_class).waits_for_consumer) return Again{};
      return refuse(*claim, "no node was selected: classes of " + std::string(kinds::kLocalPath) +
                                " need the volumeBindingMode WaitForFirstConsumer");
    }
    const api::ObjectPtr node = nodes_.cache().get({"", *facts.selected_node});
    if (node == nullptr) return select_again(*claim, *facts.selected_node);
    return make_volume(*claim, *its_class, *node);
  }

  static Result<std::string> refusal_of(const api::Object& claim, const api::Object& its_class) {
    const json::Document wanted = TRY(claim.document());
    const json::Document rules = TRY(its_class.document());
    return storage::why_not_local(api::View(wanted.root()), api::View(rules.root()));
  }

  Result<Again> make_volume(const api::Object& claim, const api::Object& its_class,
                            const api::Object& node) {
    const Result<std::string> volume = storage::make_local_volume(claim, its_class, node);
    if (!volume) return refuse(claim, volume.status().message());
    const Result<api::ObjectPtr> made =
        client_.create(place_of(volume_resource_, {}), json::parse_literal(*volume), {});
    if (made.is(Reason::kAlreadyExists)) return Again{};
    if (!made) return made.status();
    events_.normal(ObjectReference::to(claim), "ProvisioningSucceeded",
                   "Successfully provisioned volume " + storage::local_volume_name(claim) +
                       " using " + std::string(kinds::kLocalPath));
    return Again{};
  }

  Result<Again> refuse(const api::Object& claim, const std::string& why) {
    events_.warning(ObjectReference::to(claim), "ProvisioningFailed",
                    "Failed to provision volume with StorageClass \"" +
                        std::string(kinds::claim_facts(claim).class_name()) + "\": " + why);
    return Again{kEventRepeatInterval};
  }

  // The node is deleted: without the annotation the scheduler selects another one.
  Result<Again> select_again(const api::Object& claim, const std::string& node) {
    events_.warning(ObjectReference::to(claim), "ProvisioningFailed",
                    "Failed to get target node: node \"" + node + "\" not found");
    json::Document document = TRY(claim.document());
    api::Edit(document).object("metadata").object("annotations").remove(kinds::kSelectedNode);
    TRY(unless_gone(
        client_.update(place_of(claim_resource_, Key::of(claim)), std::move(document), {})));
    return Again{};
  }

  const client::BoundedClient client_;
  client::EventRecorder& events_;
  const api::Resource& claim_resource_;
  const api::Resource& volume_resource_;
  const api::Resource& class_resource_;
  client::Informer& claims_;
  client::Informer& volumes_;
  client::Informer& classes_;
  client::Informer& nodes_;
  client::WorkQueue* queue_ = nullptr;
};

}  // namespace local_path

std::unique_ptr<Controller> make_local_path_provisioner(const ControllerContext& context) {
  return std::make_unique<local_path::LocalPathProvisioner>(context);
}

}  // namespace proa::controllers
