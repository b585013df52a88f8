#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/process/spawn.h"
#include "base/result.h"
#include "lab/machine/service_state.h"
#include "lab/network/faults.h"
#include "lab/plan/paths.h"
#include "lab/plan/plan.h"

namespace proa::lab {

// What the parts of the program outside of this room do for a lab.
struct LabContext {
  Files& files;
  Clock& clock;
  std::string all;  // the folder of all labs; absolute
  // The command line that starts a machine of a lab (see launch_machine()), and one that runs a
  // program in a machine: the words of the program follow.
  std::function<std::vector<std::string>(const std::string& lab, const std::string& machine)>
      start_words;
  std::function<std::vector<std::string>(const std::string& lab, const std::string& machine)>
      exec_words;
  // Told about each step: whom it is about, and what happened.
  std::function<void(std::string_view who, std::string_view what)> progress;
};

struct MachineState {
  const Machine* machine = nullptr;
  pid_t process = 0;           // the first one; zero: it is off
  ServiceState service = {};   // machines without a service are kRunning
  std::string last_line = {};  // what a service that fails wrote last
  uint64_t memory = 0;
};

// One lab. All methods that change it hold a lock on its folder: kConflict, at once, while another
// process changes it.
class Lab {
 public:
  // The names of the labs that exist.
  static Result<std::vector<std::string>> list(Files& files, const std::string& all);
  // A new one, of which nothing runs yet. kAlreadyExists if there is one of that name.
  static Result<Lab> create(LabContext context, const Wish& wish);
  // kNotFound, naming those that exist.
  static Result<Lab> open(LabContext context, const std::string& name);

  const Wish& wish() const { return wish_; }
  const Plan& plan() const { return plan_; }
  const LabPaths& paths() const { return paths_; }

  // Starts all machines, and makes the kubeconfig. Returns when all nodes are ready, or false when
  // some are not in time: they may lack something that the user still has to bring. kTimeout if
  // stopped: what was started keeps running.
  Result<bool> up(const std::stop_token& stop);
  // Ends and removes everything, also of a lab that came up in part. kNotFound, naming those that
  // exist.
  static Result<void> remove(const LabContext& context, const std::string& name);

  // A machine that is off, or the service of one that was stopped there.
  Result<void> start(const std::string& machine, const std::stop_token& stop);
  // As if its power failed.
  Result<void> kill(const std::string& machine);

  // From now on nothing passes between the two, or only after a delay. Replaces an earlier fault
  // between them.
  Result<void> add_fault(Fault fault);
  // kNotFound if there is no fault between the two.
  Result<void> heal(const std::string& a, const std::string& b);
  Result<std::vector<Fault>> faults() const;

  Result<std::vector<MachineState>> states() const;
  // The log of a machine's service, on the host.
  std::string log_path(const std::string& machine) const {
    return machine_paths(paths_.machine(machine)).log;
  }
  // The path of the administrator's kubeconfig. kNotFound, with advice, while there is none.
  Result<std::string> kubeconfig() const;
  // The first process of a machine. kServiceUnavailable if it does not run.
  Result<ProcessHandle> first_process(const std::string& machine) const;

 private:
  Lab(LabContext context, Wish wish);

  Result<void> start_all(const std::vector<const Machine*>& machines, const std::stop_token& stop);
  // Waits until the API says that these nodes are ready, which is a moment after they say so
  // themselves. Why one is not ready is told as soon as it lasts longer than usual. False if some
  // do not become ready in time; they are named.
  Result<bool> await_nodes(const std::vector<const Machine*>& machines,
                           const std::stop_token& stop);
  void tell_waiting(const std::vector<std::string>& nodes) const;
  ServiceState service_state(const std::string& machine) const;
  Result<void> start_service(const std::string& machine, const ProcessHandle& first,
                             const std::stop_token& stop);
  Result<void> make_token();
  Result<void> make_kubeconfig();
  Result<void> apply_faults(const std::vector<Fault>& faults);
  Result<void> start_relay(Fault& fault);

  LabContext context_;
  Wish wish_;
  LabPaths paths_;
  Plan plan_;
};

}  // namespace proa::lab
