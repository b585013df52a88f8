#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "api/object/view.h"
#include "base/time.h"
#include "kubelet/pod/handlers/probes/results.h"

namespace proa::kubelet {

// The rhythm of a probe, and how often it must say the same to be believed.
struct ProbeSettings {
  ProbeKind kind = ProbeKind::kLiveness;
  Duration initial_delay = {};
  Duration period = {};
  int64_t failure_threshold = 3;
  int64_t success_threshold = 1;
};
ProbeSettings read_probe_settings(api::View probe, ProbeKind kind);

// "livenessProbe": where it stands in a container; "Liveness": how Events call it.
std::string_view probe_field(ProbeKind kind);
std::string_view probe_name(ProbeKind kind);

// The container as far as its probes depend on it.
struct ProbedContainer {
  std::string id = {};  // empty: there is none yet
  bool running = false;
  bool ended = false;
  Time started = {};
  bool has_started = true;  // its startup probe has passed, or it has none
  bool adopted = false;     // it ran before this kubelet did: what it was told is not taken back
};

// One probe of one container of a pod: what upstream's probe worker decides, without its doing. A
// result is nothing at all, passed or failed; liveness begins as passed, readiness as failed,
// startup as nothing.
class ProbeState {
 public:
  explicit ProbeState(const ProbeSettings& settings) : settings_(settings) {}

  const ProbeSettings& settings() const { return settings_; }
  const std::string& container_id() const { return now_.id; }

  struct Notice {
    std::string forget = {};  // the container that was there before; empty: the same
    std::optional<bool> result = {};
  };
  // Takes notice of what the container is now.
  Notice see(const ProbedContainer& now);
  // The startup probe has passed.
  void open_gate() { now_.has_started = true; }

  // Whether it is probed at all as things are: it runs, has started (or not, for the startup
  // probe), and no verdict stands that only a new container changes.
  bool wants_probe() const;
  // How long to wait before the first probe: what is left of the initial delay.
  Duration first_wait(Time now) const;

  // Takes what a probe found; what goes into the results once that was said often enough.
  std::optional<bool> judge(bool passed);

 private:
  const ProbeSettings settings_;
  ProbedContainer now_;
  // A verdict after which upstream probes no more until there is another container: liveness that
  // failed (it will be restarted), startup either way.
  bool on_hold_ = false;
  std::optional<bool> last_;
  int64_t run_ = 0;  // how often in a row it said `last_`
};

}  // namespace proa::kubelet
