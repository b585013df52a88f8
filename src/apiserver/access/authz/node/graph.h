#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "apiserver/access/authz/node/references.h"

namespace proa::apiserver {

// Which objects have to do with which nodes. A node has what its pods name, the volumes that are
// claimed by these, and the secrets of those volumes. Every question and every change costs a few
// lookups, whatever the number of pods; but for secrets of volumes, where the shorter of two lists
// is walked: the claims on the node, or the volumes with that secret. About 600 bytes a pod
// that names two objects of its own, and a microsecond or two (measured in the test). Nobody may
// read while somebody changes it.
class NodeGraph {
 public:
  // A pod that is on a node.
  struct PodFacts {
    std::string_view name_space;
    std::string_view uid;
    int64_t generation = 0;
    std::string_view node;
    // Its status may come to name more claims.
    bool has_claims = false;
    std::vector<Reference> references;
  };
  NodeGraph() = default;
  NodeGraph(const NodeGraph&) = delete;
  NodeGraph& operator=(const NodeGraph&) = delete;

  // `key`: "NAMESPACE/NAME".
  void put_pod(std::string_view key, const PodFacts& facts);
  void remove_pod(std::string_view key);
  // Whether all that counts of this pod is known: what it names can change with its generation
  // only, or with its claims.
  bool knows_pod(std::string_view key, std::string_view uid, int64_t generation) const;

  // A PersistentVolume, as it is in the store.
  void put_volume(std::string_view name, api::View volume);
  void remove_volume(std::string_view name);
  // A VolumeAttachment or a ResourceSlice; an empty node: none (any more).
  void place(Relative kind, std::string_view name, std::string_view node);

  bool is_related(std::string_view node, Relative kind, std::string_view name_space,
                  std::string_view name) const;

 private:
  // Users choose names: ordered maps, since hashes can be made to collide.
  template <typename T>
  using ByName = std::map<std::string, T, std::less<>>;

  // Something that pods or volumes name, whether it exists or not: how many of them do.
  using Named = ByName<uint32_t>::value_type;
  using Counts = std::unordered_map<const Named*, uint32_t>;
  struct Node {
    Counts claims;
    Counts others;
    uint32_t pods = 0;
  };
  struct Pod {
    ByName<Node>::value_type* node;
    uint64_t incarnation;  // of its uid
    int64_t generation;
    bool has_claims;
    std::vector<Named*> names;
  };
  struct Volume {
    Named* claim;
    std::vector<Named*> secrets;
  };
  using Volumes = std::unordered_map<const Named*, std::unordered_set<const Volume*>>;

  static std::string named_key(Relative kind, std::string_view name_space, std::string_view name);
  static bool is_claim(const Named& named);
  Named* hold(Relative kind, std::string_view name_space, std::string_view name);
  void let_go(Named* named);
  const Named* find(Relative kind, std::string_view name_space, std::string_view name) const;
  static void forget(Volumes& volumes, const Named* named, const Volume* volume);

  static bool has(const Node& node, const Named* named);
  bool has_volume(const Node& node, std::string_view name) const;
  bool has_secret_of_volume(const Node& node, const Named* secret) const;

  ByName<uint32_t> named_;
  ByName<Node> nodes_;
  ByName<Pod> pods_;
  ByName<Volume> volumes_;
  Volumes volumes_of_claim_;
  Volumes volumes_of_secret_;
  ByName<std::string> places_;  // of attachments and slices: their nodes
};

}  // namespace proa::apiserver
