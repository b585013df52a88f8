#include "controllers/storage/attach/attach_detach.h"

#include <algorithm>
#include <set>

#include "api/object/edit.h"
#include "controllers/framework/freshness.h"
#include "controllers/framework/writes.h"
#include "controllers/storage/attach/attach_events.h"
#include "controllers/storage/attach/attach_key.h"
#include "controllers/storage/attach/attach_state.h"
#include "controllers/storage/attach/plan.h"
#include "json/parse.h"
#include "json/print.h"

namespace proa::controllers {
namespace attach_detach {

using client::Again;
using client::Key;
using storage::AttachKey;
using storage::AttachmentFacts;

constexpr std::string_view kCsiPrefix = "kubernetes.io/csi/";

// Attachments that others created are left alone.
bool is_ours(const AttachmentFacts& attachment, const api::ObjectPtr& volume) {
  if (volume == nullptr) return attachment.name.starts_with("csi-");
  const storage::DeviceFacts& device = storage::device_facts(*volume);
  return attachment.name == storage::attachment_name(device, attachment.node);
}

class AttachDetach final : public Controller {
 public:
  explicit AttachDetach(const ControllerContext& context)
      : client_(context.client),
        clock_(context.clock),
        attachment_resource_(
            *context.schema.find_resource("storage.k8s.io", "v1", "volumeattachments")),
        node_resource_(*context.schema.find_resource("", "v1", "nodes")),
        state_(context),
        attach_events_(context.events),
        attachment_writes_(state_.attachments()),
        node_writes_(state_.nodes()) {}

  size_t workers() const override { return 10; }

  void listen(client::WorkQueue& queue) override {
    queue_ = &queue;
    state_.listen(queue);
  }

  Result<Again> reconcile(const Key& key) override {
    const AttachKey typed = AttachKey::from_queue_key(key);
    return typed.kind == AttachKey::Kind::kNode ? reconcile_node(typed) : reconcile_volume(typed);
  }

 private:
  // Reconciles the attachments of a volume.
  Result<Again> reconcile_volume(const AttachKey& key) {
    if (!attachment_writes_.is_fresh(key.queue_key())) return Again{};
    const api::ObjectPtr volume = state_.volume(key.name);
    const std::vector<api::ObjectPtr> objects = state_.attachments_of_volume(key.name);
    std::vector<const AttachmentFacts*> attachments;
    for (const api::ObjectPtr& object : objects) {
      const AttachmentFacts& facts = storage::attachment_facts(*object);
      if (is_ours(facts, volume)) attachments.push_back(&facts);
    }
    const storage::AttachState::Users users =
        volume == nullptr ? storage::AttachState::Users{} : state_.users_of(*volume);
    const storage::DeviceFacts device =
        volume == nullptr ? storage::DeviceFacts{} : storage::device_facts(*volume);
    const storage::AttachPlan plan =
        storage::plan_attachments(device, storage::AttachState::in_order(users), attachments);
    for (const AttachmentFacts* one : plan.keep) keep(*one, users.at(one->node));
    record_blocked(key.name, device, plan, users);
    std::set<std::string> wanted;
    for (const auto& [node, pods] : users) wanted.insert(storage::attachment_name(device, node));
    attach_events_.forget_others(key.name, wanted);
    Duration wait{0};
    for (const AttachmentFacts* one : plan.detach) {
      const Duration more = TRY(detach(key, *one));
      if (more.count() > 0 && (wait.count() == 0 || more < wait)) wait = more;
    }
    for (const api::NodeName& node : plan.attach) {
      TRY(attach(key, device, node, users.at(node)));
    }
    return Again{wait};
  }

  void keep(const AttachmentFacts& attachment, const storage::AttachEvents::Pods& pods) {
    stop_leaving(attachment);
    if (attachment.being_deleted) return;
    const storage::AttachEvents::About about{attachment.volume, attachment.name};
    if (attachment.attached) {
      attach_events_.succeeded(about, pods);
    } else if (!attachment.error.empty()) {
      attach_events_.failed(about, attachment.error, pods);
    } else {
      attach_events_.waits(about);
    }
  }

  void record_blocked(const std::string& volume, const storage::DeviceFacts& device,
                      const storage::AttachPlan& plan, const storage::AttachState::Users& users) {
    storage::AttachEvents::Pods others;
    for (const AttachmentFacts* one : plan.keep) {
      const auto& pods = users.at(one->node);
      others.insert(others.end(), pods.begin(), pods.end());
    }
    for (const api::NodeName& node : plan.blocked) {
      attach_events_.blocked({volume, storage::attachment_name(device, node)}, users.at(node),
                             others);
    }
  }

  Result<void> attach(const AttachKey& key, const storage::DeviceFacts& device,
                      const api::NodeName& node, const storage::AttachEvents::Pods& pods) {
    const std::string name = storage::attachment_name(device, node);
    json::Document document;
    document.root() = json::Value::object();
    const api::Edit attachment(document);
    attachment.object("metadata").set("name", name);
    const api::Edit spec = attachment.object("spec");
    spec.set("attacher", device.driver);
    spec.set("nodeName", node.view());
    spec.object("source").set("persistentVolumeName", key.name);
    const Result<api::ObjectPtr> made =
        client_.create(place_of(attachment_resource_, {}), std::move(document), {});
    if (made) {
      attachment_writes_.wrote(key.queue_key(), **made);
      attach_events_.waits({key.name, name});
      return {};
    }
    if (made.is(Reason::kAlreadyExists)) return {};  // the cache is stale
    attach_events_.failed({key.name, name}, made.status().message(), pods);
    return made.status();
  }

  // Returns when to retry; zero: on the next event.
  Result<Duration> detach(const AttachKey& key, const AttachmentFacts& attachment) {
    const api::ObjectPtr node = state_.node(attachment.node);
    const storage::DetachPlan plan = storage::plan_detach(
        attachment, node == nullptr ? nullptr : &storage::node_facts(*node), waited(attachment));
    if (!plan.step) return plan.wait;
    start_leaving(attachment);
    // The volume is removed from status.volumesAttached first.
    if (node != nullptr && storage::node_facts(*node).managed &&
        storage::names_volume_of(storage::node_facts(*node).attached, attachment)) {
      queue_->add(AttachKey::node(attachment.node).queue_key());
      return Duration{0};
    }
    if (*plan.step == storage::DetachStep::kIfUnused) {
      const bool used = TRY(is_used_now(attachment));
      if (used) return Duration{0};
    }
    return remove(key, attachment);
  }

  // Reads the node from the server: the cache may be stale.
  Result<bool> is_used_now(const AttachmentFacts& attachment) {
    const Result<api::ObjectPtr> node =
        client_.get(place_of(node_resource_, {"", attachment.node.str()}));
    if (node.is(Reason::kNotFound)) return false;
    if (!node) return node.status();
    return storage::names_volume_of(storage::node_facts(**node).in_use, attachment);
  }

  Result<Duration> remove(const AttachKey& key, const AttachmentFacts& attachment) {
    const Key name{"", attachment.name};
    const api::ObjectPtr object = state_.attachments().cache().get(name);
    if (object == nullptr) return Duration{0};
    TRY(unless_gone(client_.remove(place_of(attachment_resource_, name),
                                   {.uid = std::string(object->metadata().uid)})));
    attachment_writes_.removed(key.queue_key(), *object);
    return Duration{0};
  }

  // Reconciles status.volumesAttached of a node.
  Result<Again> reconcile_node(const AttachKey& key) {
    const api::NodeName name(key.name);
    const api::ObjectPtr node = state_.node(name);
    forget_gone(name);
    if (node == nullptr || !storage::node_facts(*node).managed) return Again{};
    if (!node_writes_.is_fresh(key.queue_key())) return Again{};
    std::set<std::string> wanted = attached_to(name);
    const std::vector<std::string>& reported = storage::node_facts(*node).attached;
    std::vector<std::string> names;
    for (const std::string& one : reported) {
      // Only CSI volumes are managed here.
      if (wanted.erase(one) > 0 || !one.starts_with(kCsiPrefix)) names.push_back(one);
    }
    names.insert(names.end(), wanted.begin(), wanted.end());
    if (names == reported) return Again{};
    const std::string patch = TRY(patch_of(*node, names));
    const Result<api::ObjectPtr> written =
        client_.patch(place_of(node_resource_, {"", key.name}, "status"), api::PatchType::kMerge,
                      json::parse_literal(patch), {});
    if (written.is(Reason::kNotFound)) return Again{};
    if (!written) return written.status();
    node_writes_.wrote(key.queue_key(), **written);
    return Again{};
  }

  std::set<std::string> attached_to(const api::NodeName& node) const {
    std::set<std::string> names;
    for (const api::ObjectPtr& object : state_.attachments_of_node(node)) {
      const AttachmentFacts& facts = storage::attachment_facts(*object);
      const api::ObjectPtr volume = state_.volume(facts.volume);
      if (volume == nullptr || !facts.attached || facts.being_deleted) continue;
      if (!is_ours(facts, volume) || is_leaving(facts)) continue;
      names.insert(storage::unique_volume_name(storage::device_facts(*volume)));
    }
    return names;
  }

  // Keeps existing items.
  static Result<std::string> patch_of(const api::Object& node,
                                      const std::vector<std::string>& names) {
    const json::Document before = TRY(node.document());
    json::Document document;
    document.root() = json::Value::object();
    const api::Edit list = api::Edit(document).object("status").array("volumesAttached");
    for (const std::string& name : names) {
      const api::Edit one = list.push_object();
      one.set("name", name);
      one.set("devicePath", "");  // unused by CSI drivers
      for (const api::View old : api::View(before.root())["status"]["volumesAttached"].items()) {
        if (old["name"].text() == name) one.set("devicePath", old["devicePath"].text());
      }
    }
    return json::print(document.root());
  }

  // Time since no pod uses the volume on the node; starts the timer on the first call.
  Duration waited(const AttachmentFacts& attachment) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const Steady now = clock_.steady();
    return now -
           leaving_.emplace(attachment.name, Leaving{now, attachment.node}).first->second.since;
  }
  void start_leaving(const AttachmentFacts& attachment) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    leaving_.at(attachment.name).decided = true;
  }
  void stop_leaving(const AttachmentFacts& attachment) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (leaving_.erase(attachment.name) > 0)
      queue_->add(AttachKey::node(attachment.node).queue_key());
  }
  bool is_leaving(const AttachmentFacts& attachment) const EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    const auto found = leaving_.find(attachment.name);
    return found != leaving_.end() && found->second.decided;
  }
  // Each deleted attachment queues its node.
  void forget_gone(const api::NodeName& node) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    std::erase_if(leaving_, [&](const auto& one) {
      return one.second.node == node &&
             state_.attachments().cache().get({"", one.first}) == nullptr;
    });
  }

  struct Leaving {
    Steady since;
    api::NodeName node;
    bool decided = false;  // status.volumesAttached no longer contains the volume
  };

  const client::BoundedClient client_;
  Clock& clock_;
  const api::Resource& attachment_resource_;
  const api::Resource& node_resource_;
  storage::AttachState state_;
  storage::AttachEvents attach_events_;
  Freshness attachment_writes_;
  Freshness node_writes_;
  client::WorkQueue* queue_ = nullptr;
  mutable Mutex mutex_;
  std::map<std::string, Leaving> leaving_ GUARDED_BY(mutex_);  // by names of attachments
};

}  // namespace attach_detach

std::unique_ptr<Controller> make_attach_detach(const ControllerContext& context) {
  return std::make_unique<attach_detach::AttachDetach>(context);
}

}  // namespace proa::controllers
