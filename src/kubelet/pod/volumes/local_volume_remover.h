#pragma once

#include <functional>
#include <string>

#include "api/object/names.h"
#include "api/object/view.h"
#include "base/files.h"
#include "client/bounded_client.h"
#include "client/informer/runner.h"
#include "kubelet/model/paths.h"

namespace proa::kubelet {

// What a node does about a PersistentVolume of local-path storage.
struct LocalVolumePlan {
  enum class Action : uint8_t {
    kNone,
    kRelease,  // remove the finalizer, keep the directory
    kRemove,   // remove the directory, then the finalizer
  };
  Action action = Action::kNone;
  std::string path = {};  // of kRemove
};
// Pure. A directory is only removed if the volume is deleted, unbound, on this node, to be deleted
// with its claim, and if the directory has the name that the provisioner gives: whoever may write
// volumes must not be able to delete other files of the node.
LocalVolumePlan plan_local_volume(api::View volume, api::NodeNameView node);

// Removes the directories of deleted volumes of this node. The key's name is the volume's.
class LocalVolumeRemover final : public client::Reconciler {
 public:
  struct Context {
    client::BoundedClient client;
    const api::Resource& volumes;
    Files& files;
    const Paths& paths;
    api::NodeName node;
    std::string root;  // of the volumes
    // The volume of that name; null if there is none.
    std::function<api::ObjectPtr(const std::string& name)> find;
  };
  // Everything outlives it.
  explicit LocalVolumeRemover(Context context) : context_(std::move(context)) {}

  Result<client::Again> reconcile(const client::Key& key) override;

 private:
  // Whether a pod of this node has it mounted.
  Result<bool> is_mounted(const std::string& volume) const;
  Result<void> release(const std::string& volume, json::Document document) const;

  const Context context_;
};

}  // namespace proa::kubelet
