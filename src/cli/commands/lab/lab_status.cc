#include "cli/commands/lab/lab_status.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "base/strings.h"
#include "cli/command_line/output.h"
#include "cli/commands/lab/lab_settings.h"
#include "cli/host/rights.h"

namespace proa::cli {
namespace lab_status {

std::string addresses_of(const lab::Machine& machine) {
  std::vector<std::string> list;
  for (const IpPrefix& each : machine.cable.addresses) list.push_back(each.address.str());
  return list.empty() ? "-" : join(list, ",");
}

std::string_view state_of(const lab::MachineState& state) {
  return state.process == 0 ? "off" : lab::name_of(state.service.phase);
}

// What is to be known about a machine beyond its row; mostly nothing.
std::string note_of(const lab::Lab& lab, const lab::MachineState& state) {
  const std::string& name = state.machine->name;
  if (state.process == 0) return "";
  if (state.service.phase == lab::ServicePhase::kFailing) {
    return fmt::format("{}: its service exited with code {}; the end of {}:\n    {}\n", name,
                       state.service.exit_code, lab.log_path(name), state.last_line);
  }
  if (state.service.phase != lab::ServicePhase::kStopped) return "";
  const std::string all = std::filesystem::path(lab.paths().folder).parent_path().string();
  return fmt::format("{0}: Proa was stopped there; `proa lab start {0}{1}` starts it\n", name,
                     lab::lab_choice(all, lab.wish().name));
}

std::string table(const std::vector<lab::MachineState>& states) {
  size_t width = 9;
  for (const lab::MachineState& each : states) {
    width = std::max(width, addresses_of(*each.machine).size());
  }
  std::string text = fmt::format("{:<10}  {:<{}}  {:<8}  {:>8}  {:>9}\n", "MACHINE", "ADDRESSES",
                                 width, "STATE", "RESTARTS", "MEMORY");
  for (const lab::MachineState& each : states) {
    text += fmt::format("{:<10}  {:<{}}  {:<8}  {:>8}  {:>9}\n", each.machine->name,
                        addresses_of(*each.machine), width, state_of(each), each.service.restarts,
                        each.process > 0 ? format_bytes(each.memory) : "-");
  }
  return text;
}

std::string fault_line(const lab::Fault& fault) {
  return fault.a + " - " + fault.b + ": " +
         (fault.is_cut() ? "cut" : format_duration(fault.delay) + " slower") + "\n";
}

json::Document document_of(const lab::Lab& lab, const std::vector<lab::MachineState>& states,
                           const std::vector<lab::Fault>& faults) {
  json::Document document;
  json::Arena& arena = document.arena();
  const auto text = [&](std::string_view value) { return json::Value::string(arena, value); };
  json::Value machines = json::Value::array();
  for (const lab::MachineState& each : states) {
    json::Value addresses = json::Value::array();
    for (const IpPrefix& one : each.machine->cable.addresses) {
      addresses.push_back(arena, text(one.address.str()));
    }
    json::Value machine = json::Value::object();
    machine.set(arena, "name", text(each.machine->name));
    machine.set(arena, "addresses", std::move(addresses));
    machine.set(arena, "running", json::Value::boolean(each.process > 0));
    machine.set(arena, "state", text(state_of(each)));
    machine.set(arena, "restarts", json::Value::integer(each.service.restarts));
    if (each.service.phase == lab::ServicePhase::kFailing) {
      machine.set(arena, "exitCode", json::Value::integer(each.service.exit_code));
      machine.set(arena, "lastLogLine", text(each.last_line));
    }
    machine.set(arena, "process", json::Value::integer(each.process));
    machine.set(arena, "memoryBytes", json::Value::integer(static_cast<int64_t>(each.memory)));
    machines.push_back(arena, std::move(machine));
  }
  json::Value broken = json::Value::array();
  for (const lab::Fault& each : faults) {
    json::Value fault = json::Value::object();
    json::Value between = json::Value::array();
    between.push_back(arena, text(each.a));
    between.push_back(arena, text(each.b));
    fault.set(arena, "between", std::move(between));
    fault.set(arena, "cut", json::Value::boolean(each.is_cut()));
    fault.set(arena, "delay", text(format_duration(each.delay)));
    broken.push_back(arena, std::move(fault));
  }
  json::Value& root = document.root() = json::Value::object();
  root.set(arena, "name", text(lab.wish().name));
  root.set(arena, "folder", text(lab.paths().folder));
  root.set(arena, "kubeconfig", text(lab.paths().kubeconfig));
  root.set(arena, "machines", std::move(machines));
  root.set(arena, "faults", std::move(broken));
  return document;
}

Result<void> status(const Invocation& invocation, Terminal& terminal) {
  TRY(require_root("looking into a lab"));
  LabTools tools(invocation.settings, terminal);
  const lab::Lab opened = TRY(tools.open());
  const std::vector<lab::MachineState> states = TRY(opened.states());
  const std::vector<lab::Fault> faults = TRY(opened.faults());
  const std::string& output = invocation.settings.text("output");
  if (output != "text") {
    terminal.out(format_value(document_of(opened, states, faults).root(), output));
    return {};
  }
  terminal.out(table(states));
  for (const lab::MachineState& each : states) terminal.out(note_of(opened, each));
  for (const lab::Fault& each : faults) terminal.out(fault_line(each));
  return {};
}

Result<void> list(const Invocation& invocation, Terminal& terminal) {
  SystemFiles files;
  const std::string all = lab_dir(invocation.settings);
  const std::vector<std::string> names = TRY(lab::Lab::list(files, all));
  if (names.empty()) {
    terminal.error("no labs; `proa lab up" + lab::lab_choice(all, lab::kDefaultLab) +
                   "` makes one\n");
  }
  for (const std::string& name : names) terminal.out(name + "\n");
  return {};
}

}  // namespace lab_status

Command lab_list_command() {
  return {.name = "list",
          .summary = "List the names of all labs.",
          .flags = {lab_dir_flag()},
          .run = lab_status::list};
}

Command lab_status_command() {
  return {.name = "status",
          .summary = "Show the machines of a lab, and faults of its network.",
          .description =
              "STATE is that of Proa in the machine; `proa lab kubectl get nodes` has that of the\n"
              "Nodes:\n"
              "  starting  not ready yet\n"
              "  running   ready\n"
              "  failing   it exited and is restarted; its exit code and last log line are shown\n"
              "  stopped   by `proa down` in the machine; `proa lab start` starts it\n"
              "  off       by `proa lab kill`; `proa lab start` starts the machine\n"
              "RESTARTS counts the failures since the machine was started. MEMORY is what its\n"
              "processes use, pods included. Faults are those of `proa lab cut` and `slow`.",
          .flags = lab_flags({output_flag()}),
          .run = lab_status::status,
          .check = check_lab_flags};
}

}  // namespace proa::cli
