#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "kubelet/model/pod.h"

// The owners of a volume's files.

namespace proa::kubelet {

// spec.securityContext.fsGroup
std::optional<gid_t> group_of_volumes(const Pod& pod);
// The user that all containers of the pod run as, according to its spec: the owner of tokens.
// Nullopt if a container has none or a different one.
std::optional<uid_t> user_of_volumes(const Pod& pod);

struct GroupChange {
  gid_t group = 0;
  bool read_only = false;         // the group may read, else write too
  bool only_on_mismatch = false;  // fsGroupChangePolicy OnRootMismatch
};
// Changes the group of a volume and all its files; folders get the setgid bit. The volume's own
// folder comes last: OnRootMismatch must detect an interrupted run. Does not follow links. Files
// that cannot be changed are skipped, as upstream does.
Result<void> give_to_group(const std::string& folder, const GroupChange& change);

}  // namespace proa::kubelet
