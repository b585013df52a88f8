#pragma once

#include <atomic>
#include <map>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "base/time.h"
#include "kubelet/pod/allocation/bounds.h"
#include "kubelet/pod/plan/restart_backoff.h"
#include "kubelet/pod/status/pod_status.h"
#include "kubelet/workers/state/stage.h"
#include "kubelet/workers/state/volume_images.h"

namespace proa::kubelet {

enum class Admission : uint8_t { kUndecided, kAdmitted, kRefused };

// Why a pod fails whatever its containers do: "Evicted", "DeadlineExceeded", or why the node
// refused it. An empty reason: the containers decide.
struct PodEnd {
  std::string reason = {};
  std::string message = {};
};

// The running termination of a pod.
struct Termination {
  Steady since = {};
  int64_t grace_seconds = 0;
  Duration most_grace = Duration::max();  // of a node that stops
};

// What the worker of a pod remembers between two reconciles. A kubelet restart may lose all of it.
// Only the thread that works on the pod touches it, except for the atomics.
struct PodMemory {
  // Requested when the pod leaves: cancels calls that start something of it.
  std::stop_source leaving = {};
  std::atomic<Admission> admission = Admission::kUndecided;  // read by the admission of others
  std::atomic<Stage> stage = Stage::kPending;                // as above
  // Its status has a final phase; the API server gets it once no container may run.
  std::atomic<bool> final_phase = false;
  PodEnd end = {};
  std::optional<Termination> termination = {};
  std::map<std::string, WaitingReason, std::less<>> waiting = {};  // by container name
  RestartBackoff backoff = {};
  VolumeImages volume_images = {};
  // The resources of running containers last sent to the runtime.
  BoundsOfContainers bounds = {};
  // Ids of containers that are stopped so that a resize takes effect, and then start again.
  std::set<std::string, std::less<>> restarting = {};
  // Reasons of warnings that are recorded once per pod: each Event costs from the pod's budget.
  std::set<std::string, std::less<>> warned_of = {};
  // The attempt of the sandbox whose replacement was recorded.
  std::optional<uint32_t> replaced_sandbox = {};
  bool cgroup_sized = false;  // the pod's cgroup has its final size
  // By name: ids of containers that were stopped in order to start again, however they exit.
  std::map<std::string, std::string> restart_after_stop = {};

  void advance(const StageFacts& facts) { stage = next_stage(stage, facts); }
  // It has ended: nothing of it is started again.
  void finish() { advance({.ended = true}); }
  void fail(PodEnd why) {
    end = std::move(why);
    finish();
  }
};

}  // namespace proa::kubelet
