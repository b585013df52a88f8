#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "api/object/names.h"
#include "api/object/object.h"
#include "client/informer/informers.h"

namespace proa::scheduler {

// A CSINode, read once per version of it.
struct CsiNodeFacts {
  struct Driver {
    std::string name = {};
    int64_t limit = -1;  // maximum number of volumes; negative: unlimited
  };
  std::vector<Driver> drivers = {};
  std::string migrated = {};  // names of in-tree plugins, with commas between them

  // Negative: none.
  int64_t limit_of(std::string_view driver) const;
  bool has_migrated(std::string_view plugin) const;
};
const CsiNodeFacts& csi_node_facts(const api::Object& node);

struct AttachmentFacts {
  std::string driver = {};
  api::NodeName node = {};
  std::string volume = {};  // the PersistentVolume's name; empty for inline volumes
};
const AttachmentFacts& attachment_facts(const api::Object& attachment);

// CSINodes and VolumeAttachments by node name. Queried for every node and pod with volumes, so
// lookups build no strings. For the thread that polls the informers.
class CsiState {
 public:
  // Watches the informers, which are not started yet.
  explicit CsiState(client::Informers& informers);

  // Null if it does not exist.
  const CsiNodeFacts* node(api::NodeNameView name) const;
  const std::vector<api::ObjectPtr>& attachments(api::NodeNameView node) const;

 private:
  template <typename T>
  using ByName = std::unordered_map<api::NodeName, T, api::NameHash, std::equal_to<>>;
  struct Known {
    ByName<api::ObjectPtr> nodes;
    ByName<std::vector<api::ObjectPtr>> attachments;
  };
  static void follow(const client::Change& change, Known& known);

  // Shared with the handlers, which may outlive this.
  const std::shared_ptr<Known> known_ = std::make_shared<Known>();
};

}  // namespace proa::scheduler
