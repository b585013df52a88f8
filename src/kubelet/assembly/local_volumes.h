#pragma once

#include "client/informer/informer.h"
#include "client/informer/runner.h"
#include "kubelet/assembly/core.h"
#include "kubelet/pod/volumes/local_volume_remover.h"

namespace proa::kubelet {

// Follows the local-path volumes of this node, and removes the directories of deleted ones.
class LocalVolumes {
 public:
  explicit LocalVolumes(Core& core);

  void start();
  // REQUIRES: the core's poller is stopped.
  void stop();

 private:
  client::WorkQueue queue_;
  client::Informer volumes_;
  LocalVolumeRemover remover_;
  client::Runner runner_;
};

}  // namespace proa::kubelet
