#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "kubelet/model/pod.h"

// Whom the files of a volume belong to.

namespace proa::kubelet {

// spec.securityContext.fsGroup
std::optional<gid_t> group_of_volumes(const Pod& pod);
// The one user that all containers of the pod run as, as far as its spec says: whom tokens belong
// to. Nothing when one container says nothing, or another one.
std::optional<uid_t> user_of_volumes(const Pod& pod);

struct GroupChange {
  gid_t group = 0;
  bool read_only = false;         // the group may read, else write too
  bool only_on_mismatch = false;  // fsGroupChangePolicy OnRootMismatch
};
// Gives a volume with all in it to a group, folders so that new files get it too. The volume's own
// folder comes last: OnRootMismatch must see that an earlier run ended half way. Never over links.
// Single files that can't be changed are passed over, as upstream does.
Result<void> give_to_group(const std::string& folder, const GroupChange& change);

}  // namespace proa::kubelet
