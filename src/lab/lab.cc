#include "lab/lab.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <utility>

#include "base/strings.h"
#include "lab/machine/cgroups.h"
#include "lab/machine/enter.h"
#include "lab/machine/init.h"
#include "lab/machine/launch.h"
#include "lab/machine/log_end.h"
#include "lab/machine/node_states.h"
#include "lab/machine/process.h"
#include "lab/network/relay.h"

namespace proa::lab {
namespace labs {

constexpr size_t kMaxBytes = 1 << 20;
constexpr Duration kLook = std::chrono::milliseconds(50);
constexpr Duration kPatience = std::chrono::seconds(30);
constexpr Duration kServicePatience = std::chrono::minutes(2);
constexpr int kLookAgain = 100;  // milliseconds
// A Node that is not ready says why in every start, for a moment: what lasts longer is told.
constexpr Duration kUsualDelay = std::chrono::seconds(3);

// Of the folder of a lab; held until the end of the process or of the value.
Result<FileDescriptor> lock(const std::string& folder) {
  FileDescriptor held(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!held.valid()) return errno_status("opening " + folder, errno);
  if (flock(held.get(), LOCK_EX | LOCK_NB) == 0) return held;
  if (errno != EWOULDBLOCK) return errno_status("locking " + folder, errno);
  return Status(Reason::kConflict, "another `proa lab` command is changing this lab; wait for it");
}

// Other folders beside labs are none of our business. A lab of which the removal was interrupted is
// one, too.
Result<bool> is_lab(Files& files, const LabPaths& paths) {
  if (TRY(files.exists(paths.wish))) return true;
  return files.exists(paths.machines);
}

Status no_such_lab(Files& files, const std::string& all, const std::string& name) {
  const auto others = Lab::list(files, all);
  std::string text = "there is no lab '" + name + "'";
  if (others.ok() && !others->empty()) {
    text += "; choose one with --name: " + join(*others, ", ");
  } else {
    text += "; `proa lab up" + lab_choice(all, name) + "` makes one";
  }
  return {Reason::kNotFound, text};
}

// An empty folder is as good as none.
Result<void> check_free(Files& files, const std::string& all, const std::string& name) {
  const LabPaths paths = lab_paths(all, name);
  if (TRY(is_lab(files, paths))) {
    return Status(Reason::kAlreadyExists,
                  fmt::format("there is a lab '{0}' already: `proa lab status{1}` shows it, "
                              "`proa lab down{1}` removes it",
                              name, lab_choice(all, name)));
  }
  const auto found = files.list(paths.folder);
  if (found.is(Reason::kNotFound) || (found.ok() && found->empty())) return {};
  if (!found.ok()) return found.status();
  return Status(Reason::kAlreadyExists,
                paths.folder + " is not empty, and no lab; choose another --name or --lab-dir");
}

// Machines that are being started. Those that did not come to an end are killed.
class Launches {
 public:
  explicit Launches(Files& files) : files_(files) {}
  ~Launches() {
    for (const Started& each : started_) {
      each.process.signal(SIGKILL);
      each.process.wait_for_end(kPatience);
      each.process.reap();
    }
  }
  Launches(const Launches&) = delete;
  Launches& operator=(const Launches&) = delete;

  Result<void> add(const Machine& machine, const std::string& folder,
                   const std::vector<std::string>& words) {
    TRY(files_.make_dirs(folder, 0755));
    std::error_code ignored;
    std::filesystem::remove(machine_paths(folder).report, ignored);
    const pid_t pid = TRY(start_detached(words, folder + "/launch.log"));
    started_.push_back({&machine, folder, TRY(ProcessHandle::open(pid))});
    return {};
  }

  bool is_empty() const { return started_.empty(); }

  // The next one that is ready. kTimeout if stopped.
  Result<const Machine*> next(const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      for (auto each = started_.begin(); each != started_.end(); ++each) {
        const Duration wait = each == started_.begin() ? kLook : Duration(0);
        if (!each->process.wait_for_end(wait)) continue;
        each->process.reap();
        const Started ended = std::move(*each);
        started_.erase(each);
        const auto report = files_.read_file(machine_paths(ended.folder).report, kMaxBytes);
        if (report.ok() && *report == "ready") return ended.machine;
        return Status(Reason::kInternalError,
                      ended.machine->name + " does not start: " +
                          (report.ok() ? *report : log_end(files_, ended.folder + "/launch.log")));
      }
    }
    return Status(Reason::kTimeout, "interrupted");
  }

 private:
  struct Started {
    const Machine* machine;
    std::string folder;
    ProcessHandle process;
  };
  Files& files_;
  std::vector<Started> started_;
};

}  // namespace labs

Result<std::vector<std::string>> Lab::list(Files& files, const std::string& all) {
  auto names = files.list(all);
  if (names.is(Reason::kNotFound)) return std::vector<std::string>();
  if (!names.ok()) return names.status();
  std::vector<std::string> labs;
  for (std::string& name : *names) {
    if (!check_lab_name(name).ok() || !TRY(labs::is_lab(files, lab_paths(all, name)))) continue;
    labs.push_back(std::move(name));
  }
  return labs;
}

Lab::Lab(LabContext context, Wish wish)
    : context_(std::move(context)),
      wish_(std::move(wish)),
      paths_(lab_paths(context_.all, wish_.name)),
      plan_(make_plan(wish_)) {}

Result<Lab> Lab::create(LabContext context, const Wish& wish) {
  TRY(check_lab_name(wish.name));
  TRY(context.files.make_dirs(context.all, 0755));
  Lab made(std::move(context), wish);
  TRY(labs::check_free(made.context_.files, made.context_.all, wish.name));
  const std::string& folder = made.paths_.folder;
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
    return errno_status("making " + folder, errno);
  }
  // Of two that want it, one gets it.
  const FileDescriptor held = TRY(labs::lock(folder));
  TRY(labs::check_free(made.context_.files, made.context_.all, wish.name));
  TRY(made.context_.files.write_file_atomic(made.paths_.wish, print_wish(wish), 0644));
  return made;
}

Result<Lab> Lab::open(LabContext context, const std::string& name) {
  TRY(check_lab_name(name));
  const LabPaths paths = lab_paths(context.all, name);
  const auto text = context.files.read_file(paths.wish, labs::kMaxBytes);
  if (text.is(Reason::kNotFound)) return labs::no_such_lab(context.files, context.all, name);
  if (!text.ok()) return text.status();
  const auto wish = parse_wish(*text);
  if (!wish.ok()) return wish.status().in(paths.wish);
  return Lab(std::move(context), *wish);
}

Result<void> Lab::start_all(const std::vector<const Machine*>& machines,
                            const std::stop_token& stop) {
  labs::Launches launches(context_.files);
  const Steady begin = context_.clock.steady();
  for (const Machine* each : machines) {
    TRY(launches.add(*each, paths_.machine(each->name),
                     context_.start_words(wish_.name, each->name)));
  }
  while (!launches.is_empty()) {
    const Machine* ready = TRY(launches.next(stop));
    const std::chrono::duration<double> time = context_.clock.steady() - begin;
    std::string where;
    for (const IpPrefix& each : ready->cable.addresses) where += each.address.str() + ", ";
    context_.progress(ready->name, fmt::format("{}started after {:.1f} s", where, time.count()));
  }
  return {};
}

Result<bool> Lab::up(const std::stop_token& stop) {
  const FileDescriptor held = TRY(labs::lock(paths_.folder));
  std::vector<const Machine*> first;
  std::vector<const Machine*> rest;
  for (const Machine& each : plan_.machines) {
    if (each.role == Role::kSwitch) {
      TRY(start_all({&each}, stop));
    } else if (each.role == Role::kServer) {
      first.push_back(&each);
    } else {
      rest.push_back(&each);
    }
  }
  TRY(start_all(first, stop));
  TRY(make_kubeconfig());
  TRY(make_token());
  TRY(start_all(rest, stop));
  if (!wish_.server_apart) rest.insert(rest.end(), first.begin(), first.end());
  return await_nodes(rest, stop);
}

Result<bool> Lab::await_nodes(const std::vector<const Machine*>& machines,
                              const std::stop_token& stop) {
  std::vector<std::string> words = context_.exec_words(wish_.name, plan_.machines[1].name);
  for (const char* word : {"proa", "status", "--output=json", "--log-level=error"}) {
    words.emplace_back(word);
  }
  const Steady begin = context_.clock.steady();
  std::map<std::string, std::string> told;
  while (!stop.stop_requested()) {
    const Outcome outcome = TRY(run_to_end(words, "", context_.clock, labs::kPatience));
    const NodeStates states = node_states(outcome.output);
    std::vector<std::string> waiting;
    for (const Machine* each : machines) {
      if (each->role == Role::kClient) continue;
      const auto state = states.find(each->name);
      if (state != states.end() && state->second.ready) continue;
      waiting.push_back(each->name);
      const std::string why = state == states.end() ? "" : state->second.why_not;
      if (why.empty() || context_.clock.steady() < begin + labs::kUsualDelay) continue;
      if (std::exchange(told[each->name], why) == why) continue;
      context_.progress(each->name, "its Node is not ready: " + why);
    }
    if (waiting.empty()) return true;
    // Nodes whose network the user brings later, for example.
    if (context_.clock.steady() > begin + labs::kPatience) {
      tell_waiting(waiting);
      return false;
    }
    poll(nullptr, 0, labs::kLookAgain);
  }
  return Status(Reason::kTimeout, "interrupted");
}

void Lab::tell_waiting(const std::vector<std::string>& nodes) const {
  for (const std::string& each : nodes) {
    context_.progress(each, fmt::format("its Node is not ready yet; `proa lab kubectl{} describe "
                                        "node {}` says why",
                                        lab_choice(context_.all, wish_.name), each));
  }
}

Result<void> Lab::make_token() {
  std::vector<std::string> words = context_.exec_words(wish_.name, plan_.machines[1].name);
  for (const char* word : {"proa", "token", "create", "--ttl=0", "--log-level=error"}) {
    words.emplace_back(word);
  }
  const Outcome outcome = TRY(run_to_end(words, "", context_.clock, labs::kPatience));
  if (outcome.exit_code != 0) {
    return Status(Reason::kInternalError,
                  "creating a join token: " + std::string(trim(outcome.output)));
  }
  return context_.files.write_file_atomic(paths_.token, outcome.output, 0600);
}

Result<void> Lab::make_kubeconfig() {
  const MachinePaths server = machine_paths(paths_.machine(plan_.machines[1].name));
  std::string text =
      TRY(context_.files.read_file(server.lib + "/proa/admin.kubeconfig", labs::kMaxBytes));
  const std::string port = TRY(context_.files.read_file(paths_.door, labs::kMaxBytes));
  const std::string there = fmt::format("https://127.0.0.1:{}", kApiPort);
  const size_t at = text.find(there);
  if (at == std::string::npos) {
    return Status(Reason::kInternalError, "the server's kubeconfig does not name " + there);
  }
  text.replace(at, there.size(), "https://127.0.0.1:" + std::string(trim(port)));
  return context_.files.write_file_atomic(paths_.kubeconfig, text, 0600);
}

Result<std::string> Lab::kubeconfig() const {
  if (TRY(context_.files.exists(paths_.kubeconfig))) return paths_.kubeconfig;
  const std::string choice = lab_choice(context_.all, wish_.name);
  return Status(Reason::kNotFound,
                fmt::format("the lab '{0}' has no kubeconfig yet: it is starting, and has one as "
                            "soon as its API server answers. `proa lab status{1}` shows it; if its "
                            "start was interrupted, `proa lab down{1}` removes it",
                            wish_.name, choice));
}

Result<void> Lab::remove(const LabContext& context, const std::string& name) {
  TRY(check_lab_name(name));
  const LabPaths paths = lab_paths(context.all, name);
  const bool exists = TRY(labs::is_lab(context.files, paths));
  const Cgroups cgroups = TRY(Cgroups::open());
  if (!exists && !cgroups.exists(paths.cgroup)) {
    return labs::no_such_lab(context.files, context.all, name);
  }
  FileDescriptor held;
  if (exists) held = TRY(labs::lock(paths.folder));
  // With its processes, namespaces, links and mounts end.
  TRY(cgroups.remove(paths.cgroup));
  std::error_code error;
  if (exists) std::filesystem::remove_all(paths.folder, error);
  if (error) return errno_status("removing " + paths.folder, error.value());
  if (context.all == kAllLabs) rmdir(kAllLabs);  // fails unless empty
  return {};
}

Result<void> Lab::start(const std::string& machine, const std::stop_token& stop) {
  const FileDescriptor held = TRY(labs::lock(paths_.folder));
  const Machine* wanted = TRY(plan_.find(machine));
  if (const auto first = first_process(machine); first.ok()) {
    if (service_state(machine).phase != ServicePhase::kStopped) {
      return Status(Reason::kConflict, machine + " runs already");
    }
    return start_service(machine, *first, stop);
  }
  TRY(start_all({wanted}, stop));
  std::vector<Fault> all = TRY(faults());
  for (Fault& fault : all) {
    if (fault.is_of(machine) && !fault.is_cut()) TRY(start_relay(fault));
  }
  return context_.files.write_file_atomic(paths_.faults, print_faults(all), 0644);
}

ServiceState Lab::service_state(const std::string& machine) const {
  const auto text =
      context_.files.read_file(machine_paths(paths_.machine(machine)).service, labs::kMaxBytes);
  // Nothing is noted before the first process runs.
  return text.ok() ? parse_service_state(*text).value_or(ServiceState{}) : ServiceState{};
}

Result<void> Lab::start_service(const std::string& machine, const ProcessHandle& first,
                                const std::stop_token& stop) {
  first.signal(kStartService);
  const Steady deadline = context_.clock.steady() + labs::kServicePatience;
  while (!stop.stop_requested() && context_.clock.steady() < deadline) {
    const ServiceState state = service_state(machine);
    if (state.phase == ServicePhase::kRunning) {
      context_.progress(machine, "ready");
      return {};
    }
    if (state.phase == ServicePhase::kFailing) {
      return Status(Reason::kInternalError,
                    fmt::format("{} does not start: its service exited with code {}{}", machine,
                                state.exit_code, log_end(context_.files, log_path(machine))));
    }
    poll(nullptr, 0, labs::kLookAgain);
  }
  return Status(Reason::kTimeout, machine + " was not ready in time");
}

Result<void> Lab::kill(const std::string& machine) {
  const FileDescriptor held = TRY(labs::lock(paths_.folder));
  const Machine* chosen = TRY(plan_.find(machine));
  if (chosen->role == Role::kSwitch) {
    return Status(Reason::kBadRequest,
                  "the switch is no machine that can be killed; `proa lab cut` separates machines");
  }
  const ProcessHandle first = TRY(first_process(machine));
  first.signal(SIGKILL);
  if (!first.wait_for_end(labs::kPatience)) {
    return Status(Reason::kTimeout, machine + " does not end");
  }
  const Cgroups cgroups = TRY(Cgroups::open());
  return cgroups.remove(machine_cgroup(paths_, machine));
}

Result<std::vector<Fault>> Lab::faults() const {
  const auto text = context_.files.read_file(paths_.faults, labs::kMaxBytes);
  if (text.is(Reason::kNotFound)) return std::vector<Fault>();
  if (!text.ok()) return text.status();
  return parse_faults(*text);
}

Result<void> Lab::apply_faults(const std::vector<Fault>& faults) {
  std::vector<std::string> words = context_.exec_words(wish_.name, plan_.machines[0].name);
  for (const char* word : {"nft", "-f", "-"}) words.emplace_back(word);
  const Outcome outcome =
      TRY(run_to_end(words, fault_rules(plan_, faults), context_.clock, labs::kPatience));
  constexpr int kNotInstalled = 127;
  if (outcome.exit_code == kNotInstalled) {
    return Status(Reason::kNotFound, "nft is not installed; install the package nftables");
  }
  if (outcome.exit_code != 0) {
    return Status(Reason::kInternalError,
                  "setting the switch's rules: " + std::string(trim(outcome.output)));
  }
  return context_.files.write_file_atomic(paths_.faults, print_faults(faults), 0644);
}

Result<void> Lab::start_relay(Fault& fault) {
  if (const auto old = find_process(fault.relay, fault.relay_start); old.ok()) {
    old->signal(SIGKILL);
    old->wait_for_end(labs::kPatience);
  }
  const Machine* a = TRY(plan_.find(fault.a));
  const Machine* b = TRY(plan_.find(fault.b));
  const std::string& name = plan_.machines[0].name;
  const ProcessHandle first = TRY(first_process(name));
  const ProcessHandle relay =
      TRY(leave_inside(paths_, name, first, [&] { (void)run_relay(*a, *b, fault.delay); }));
  fault.relay = relay.pid();
  fault.relay_start = relay.start_time();
  return {};
}

Result<void> Lab::add_fault(Fault fault) {
  const FileDescriptor held = TRY(labs::lock(paths_.folder));
  for (const std::string* each : {&fault.a, &fault.b}) {
    const Machine* machine = TRY(plan_.find(*each));
    if (machine->role == Role::kSwitch) {
      return Status(Reason::kBadRequest, "the switch connects the machines; name two of them");
    }
  }
  if (fault.a == fault.b) return Status(Reason::kBadRequest, "name two different machines");
  std::vector<Fault> all = TRY(faults());
  for (const Fault& old : all) {
    if (!old.is_between(fault.a, fault.b)) continue;
    if (const auto relay = find_process(old.relay, old.relay_start); relay.ok()) {
      relay->signal(SIGKILL);
    }
  }
  std::erase_if(all, [&](const Fault& old) { return old.is_between(fault.a, fault.b); });
  if (!fault.is_cut()) TRY(start_relay(fault));
  all.push_back(std::move(fault));
  return apply_faults(all);
}

Result<void> Lab::heal(const std::string& a, const std::string& b) {
  const FileDescriptor held = TRY(labs::lock(paths_.folder));
  TRY(plan_.find(a));
  TRY(plan_.find(b));
  std::vector<Fault> all = TRY(faults());
  const auto found =
      std::ranges::find_if(all, [&](const Fault& each) { return each.is_between(a, b); });
  if (found == all.end()) {
    return Status(Reason::kNotFound, "nothing is wrong between " + a + " and " + b);
  }
  const Fault healed = *found;
  all.erase(found);
  TRY(apply_faults(all));
  if (const auto relay = find_process(healed.relay, healed.relay_start); relay.ok()) {
    relay->signal(SIGKILL);
  }
  return {};
}

Result<std::vector<MachineState>> Lab::states() const {
  const Cgroups cgroups = TRY(Cgroups::open());
  std::vector<MachineState> states;
  for (const Machine& each : plan_.machines) {
    const auto first = first_process(each.name);
    MachineState state{.machine = &each,
                       .memory = cgroups.memory(machine_cgroup(paths_, each.name))};
    if (first.ok()) {
      state.process = first->pid();
      state.service = service_state(each.name);
    }
    if (state.service.phase == ServicePhase::kFailing) {
      state.last_line = last_line_of_service(context_.files, log_path(each.name));
    }
    states.push_back(std::move(state));
  }
  return states;
}

Result<ProcessHandle> Lab::first_process(const std::string& machine) const {
  TRY(plan_.find(machine));
  auto found = find_process(context_.files, machine_paths(paths_.machine(machine)).process);
  if (found.ok() || !found.is(Reason::kNotFound)) return found;
  return Status(Reason::kServiceUnavailable,
                fmt::format("{0} does not run; `proa lab start {0}{1}` starts it", machine,
                            lab_choice(context_.all, wish_.name)));
}

}  // namespace proa::lab
