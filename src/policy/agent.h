#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "api/object/names.h"
#include "base/files.h"
#include "policy/apply/forbidden_flows.h"
#include "policy/apply/kernel_rules.h"
#include "policy/model/policy_model.h"
#include "policy/model/turns.h"
#include "policy/sources.h"

namespace proa::policy {

// NetworkPolicies of the pods of this node: follows the API, and keeps the kernel's rules those of
// its policies. What others change comes back, and connections that are forbidden now are cut. One
// thread follows, another one writes; what comes meanwhile is written together.
//
// Owned by the command that runs the node. Its writing thread is in the network namespace of the
// thread that calls start(). Rules stay when it ends: pods do, too.
class PolicyAgent {
 public:
  struct Context {
    client::Client& client;  // may list and watch NetworkPolicies, Namespaces and Pods
    const api::Schema& schema;
    Clock& clock;
    Random& random;
    api::NodeName node;
    std::string table = kTable;  // different for each node on a machine
    std::string bridge = {};     // the link of the pods; empty: not known
    // Where each node answers DNS itself: for policies a pod of kube-system, as kube-dns has.
    std::vector<IpAddress> dns = {};
    // Nobody tells when settings of bridges change.
    Duration bridge_interval = std::chrono::seconds(10);
  };
  // REQUIRES: everything outlives it.
  explicit PolicyAgent(Context context);
  // Stops it.
  ~PolicyAgent();
  PolicyAgent(const PolicyAgent&) = delete;
  PolicyAgent& operator=(const PolicyAgent&) = delete;

  // Fails if the kernel cannot have the rules.
  Result<void> start();
  void stop();

  // A pod of this node got addresses, and its containers start next: waits until they have rules.
  // Fails if those could not be written in time, also because the API has not told yet of the pod
  // or its policies: not for static pods, which run without it. From any thread.
  struct NewPod {
    client::Key key;
    std::string uid;
    std::vector<IpAddress> addresses;
  };
  Result<void> prepare(const NewPod& pod, const Until& until) EXCLUDES(mutex_);

  // Instead of start(), for tests: open() first; then does what is due, and returns when it must be
  // called again at the latest.
  Result<void> open();
  Steady step();
  void poll() { sources_.poll(); }
  const PolicyModel& model() const { return model_; }

 private:
  void run(const std::stop_token& stop);
  void wait(Steady due) const;
  void wake() const;
  void check_bridge();
  void check_rules();
  void read_news();
  void read_policy(const client::Key& key);
  void read_pod(const client::Key& key);
  Result<void> write();
  Result<void> cut();
  void add_prepared(const client::Key& key, const api::Object& object,
                    std::optional<PodFacts>& facts) EXCLUDES(mutex_);
  void tell_prepared() EXCLUDES(mutex_);

  const Context context_;
  FileDescriptor wakes_;  // eventfd
  Sources sources_;
  // Below: of the writing thread.
  std::optional<KernelRules> rules_;
  ForbiddenFlows flows_;
  PolicyModel model_;
  Turns turns_;
  std::set<client::Key> put_off_;  // policies that have no turn yet
  Steady put_off_until_ = Steady::max();
  bool whole_ = true;  // the kernel's rules are not known
  // Whose connections are to be judged again; nullopt: all.
  std::optional<std::set<IpAddress>> uncut_ = std::nullopt;
  int failures_ = 0;     // in a row
  Steady not_before_{};  // of the next write
  int disturbances_ = 0;
  Duration written_in_{};          // the whole rules, the last time
  std::vector<client::Key> read_;  // of new pods, with their addresses in the model
  std::vector<IpAddress> taken_;   // what those pods got, and others may have sent to before
  Steady last_disturbed_{};
  Steady bridge_due_{};         // when its settings are checked again
  std::string bridge_problem_;  // that was told

  // Pods whose addresses are known here before the API has them.
  struct Prepared {
    std::string uid;
    std::vector<IpAddress> addresses;
    bool in_force = false;
  };
  Mutex mutex_;
  CondVar told_;
  std::map<client::Key, Prepared> prepared_ GUARDED_BY(mutex_);
  std::set<client::Key> unread_ GUARDED_BY(mutex_);

  Poller poller_;
  std::jthread thread_;
};

}  // namespace proa::policy
