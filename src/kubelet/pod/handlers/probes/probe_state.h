#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"
#include "kubelet/model/pod_object.h"
#include "kubelet/pod/handlers/probes/results.h"

namespace proa::kubelet {

// The timing of a probe, and its thresholds.
struct ProbeSettings {
  ProbeKind kind = ProbeKind::kLiveness;
  Duration initial_delay = {};
  Duration period = {};
  int64_t failure_threshold = 3;
  int64_t success_threshold = 1;
};
ProbeSettings read_probe_settings(const objects::Probe& probe, ProbeKind kind);
const std::optional<objects::Probe>& find_probe(const objects::Container& container,
                                                ProbeKind kind);

// "livenessProbe": the field of a container; "Liveness": the name in Events.
std::string_view probe_field(ProbeKind kind);
std::string_view probe_name(ProbeKind kind);

// The state of a container that its probes depend on.
struct ProbedContainer {
  std::string id = {};  // empty: not created yet
  bool running = false;
  bool ended = false;
  Time started = {};
  bool has_started = true;  // its startup probe passed, or it has none
  bool adopted = false;     // started by a previous kubelet: keeps its results until it is probed
};

// One probe of one container: the decisions of upstream's probe worker, without its actions. A
// result is unknown, passed or failed; initially liveness is passed, readiness failed, startup
// unknown.
class ProbeState {
 public:
  explicit ProbeState(const ProbeSettings& settings) : settings_(settings) {}

  const ProbeSettings& settings() const { return settings_; }
  const std::string& container_id() const { return now_.id; }

  struct Notice {
    std::string forget = {};  // the previous container; empty: unchanged
    std::optional<bool> result = {};
  };
  // Updates the state of the container.
  Notice see(const ProbedContainer& now);
  // The startup probe passed.
  void open_gate() { now_.has_started = true; }

  // Whether it is probed in its current state: it runs, has started (or not yet, for the startup
  // probe), and has no result that only a new container changes.
  bool wants_probe() const;
  // The delay of the first probe: the rest of initialDelaySeconds.
  Duration first_wait(Time now) const;

  // Takes the outcome of a probe; returns the new result once a threshold is reached.
  std::optional<bool> judge(bool passed);

 private:
  const ProbeSettings settings_;
  ProbedContainer now_;
  // A result after which upstream stops probing until there is a new container: failed liveness (it
  // will be restarted), and startup in either case.
  bool on_hold_ = false;
  std::optional<bool> last_;
  int64_t run_ = 0;  // successive outcomes equal to `last_`
};

}  // namespace proa::kubelet
