#include "kubelet/pod/handlers/probes/prober.h"

#include "kubelet/pod/handlers/probes/probe_schedule.h"

namespace proa::kubelet {
namespace probers {

// A schedule and the one thread that polls it.
class PolledProber final : public Prober {
 public:
  explicit PolledProber(Context context)
      : poller_(context.clock), schedule_(std::make_unique<ProbeSchedule>(std::move(context))) {
    poller_.add(*schedule_);
    poller_.start();
  }
  ~PolledProber() override {
    poller_.stop();
    // Probes that end meanwhile still wake the poller.
    schedule_.reset();
  }

  void follow(const PodPtr& pod, const cri::RuntimePod& running) override {
    schedule_->follow(pod, running);
  }
  void stop_liveness(api::UidView pod_uid) override { schedule_->stop_liveness(pod_uid); }
  void forget(api::UidView pod_uid) override { schedule_->forget(pod_uid); }

 private:
  Poller poller_;
  std::unique_ptr<ProbeSchedule> schedule_;
};

}  // namespace probers

std::unique_ptr<Prober> make_prober(Prober::Context context) {
  return std::make_unique<probers::PolledProber>(std::move(context));
}

}  // namespace proa::kubelet
