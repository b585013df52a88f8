#include "scheduler/config/read_config.h"

#include "api/codec/json/decode.h"
#include "api/validation/go_text.h"
#include "base/strings.h"
#include "json/parse.h"
#include "json/yaml.h"
#include "scheduler/config/config_schema.h"
#include "scheduler/config/default_plugins.h"
#include "scheduler/config/validate_config.h"

namespace proa::scheduler {
namespace config_reader {

using api::quoted;
using api::View;

constexpr std::string_view kKind = "KubeSchedulerConfiguration";
constexpr std::string_view kDefaultScheduler = "default-scheduler";

Status refused(std::string why) { return {Reason::kBadRequest, std::move(why)}; }

Status unknown_kind(std::string_view kind, std::string_view version) {
  return refused("no kind " + quoted(kind) + " is registered for version " + quoted(version));
}

// "NodeAffinityArgs.kubescheduler.config.k8s.io"
std::string group_kind(std::string_view kind, std::string_view version) {
  const std::optional<Halves> halves = split_once(version, '/');
  std::string text(kind);
  if (halves) text.append(".").append(halves->before);
  return text;
}

// Upstream's rule to distinguish JSON from YAML.
bool is_json(std::string_view text) { return trim(text).starts_with('{'); }

Result<void> check_kind(std::string_view text) {
  const json::Document loose = TRY(is_json(text) ? json::parse(text) : json::parse_yaml(text));
  const View root = loose.root();
  const std::string_view kind = root["kind"].text();
  const std::string_view version = root["apiVersion"].text();
  if (kind.empty()) return refused("Object 'Kind' is missing in '" + std::string(text) + "'");
  if (version.empty()) {
    return refused("Object 'apiVersion' is missing in '" + std::string(text) + "'");
  }
  if (version != kConfigVersion || config_schema().find_kind(version, kind) == nullptr) {
    return unknown_kind(kind, version);
  }
  if (kind == kKind) return {};
  return refused("couldn't decode as KubeSchedulerConfiguration, got " + std::string(version) +
                 ", Kind=" + std::string(kind));
}

// --- Args of plugins ---

// The args of a plugin with typed args; strict decoding adds its errors to `problems`.
Result<json::Document> typed_args(std::string_view plugin, View raw, const api::Type& expected,
                                  std::vector<std::string>& problems) {
  const std::string_view kind = raw["kind"].text(expected.name);
  const std::string_view version = raw["apiVersion"].text(kConfigVersion);
  const std::string context = "decoding args for plugin " + std::string(plugin);
  const api::Type* type = config_schema().find_kind(version, kind);
  if (type == nullptr) return unknown_kind(kind, version).in(context);
  json::Document copy;
  copy.root() = raw.value()->copy(copy.arena());
  Result<api::Decoded> decoded =
      api::decode_document(std::move(copy), *type, api::FieldValidation::kWarn);
  if (!decoded) return decoded.status().in(context);
  if (type != &expected) {
    return refused("args for plugin " + std::string(plugin) + " were not of type " +
                   group_kind(expected.name, kConfigVersion) + ", got " +
                   group_kind(kind, version));
  }
  if (!decoded->warnings.empty()) {
    problems.push_back("strict decoding error: " + context + ": " +
                       api::strict_decoding_error(decoded->warnings).message());
  }
  return std::move(decoded->document);
}

Result<PluginArgs> args_of(View config, std::vector<std::string>& problems) {
  PluginArgs args{.name = std::string(config["name"].text())};
  const View raw = config["args"];
  if (!raw.exists()) return args;
  const api::Type* type = config_schema().find_kind(kConfigVersion, args.name + "Args");
  json::Document document;
  if (type != nullptr) {
    document = TRY(typed_args(args.name, raw, *type, problems));
  } else {
    document.root() = raw.value()->copy(document.arena());
  }
  args.document = std::make_shared<const json::Document>(std::move(document));
  return args;
}

Result<void> read_all_args(View root, SchedulerConfig& config, std::vector<std::string>& problems) {
  for (size_t i = 0; i < config.profiles.size(); ++i) {
    const View written = root["profiles"].item(i)["pluginConfig"];
    for (size_t j = 0; j < written.size(); ++j) {
      const std::string context =
          "decoding .profiles[" + std::to_string(i) + "].pluginConfig[" + std::to_string(j) + "]";
      std::vector<std::string> found;
      Result<PluginArgs> args = args_of(written.item(j), found);
      if (!args) return args.status().in(context);
      for (const std::string& one : found) problems.push_back(context + ": " + one);
      config.profiles[i].args.push_back(std::move(*args));
    }
  }
  return {};
}

// --- The rest ---

PluginSet plugin_set(View written) {
  PluginSet set;
  for (const View one : written["enabled"].items()) {
    set.enabled.push_back({.name = std::string(one["name"].text()),
                           .weight = static_cast<int32_t>(one["weight"].integer())});
  }
  for (const View one : written["disabled"].items()) set.disabled.emplace_back(one["name"].text());
  return set;
}

PluginSets plugin_sets(View written) {
  PluginSets sets;
  sets.multi_point = plugin_set(written["multiPoint"]);
  for (const PointName& point : kPoints) sets.at[point.point] = plugin_set(written[point.field]);
  return sets;
}

std::optional<int32_t> percentage(View written) {
  if (!written.exists()) return std::nullopt;
  return static_cast<int32_t>(written.integer());
}

ProfileConfig profile(View written) {
  return {.scheduler_name = std::string(written["schedulerName"].text()),
          .percentage_of_nodes_to_score = percentage(written["percentageOfNodesToScore"]),
          .plugins = merge_plugins(default_plugins(), plugin_sets(written["plugins"])),
          .args = {}};
}

// Absent and zero mean the default.
void read_duration(View written, Duration& duration) {
  const Result<Duration> read = parse_duration(written.text("0s"));
  if (read && *read != Duration::zero()) duration = *read;
}

// Absent and empty mean the default.
void read_text(View written, std::string& text) {
  if (!written.text().empty()) text = written.text();
}

LeaderElection leader_election(View written) {
  LeaderElection election;
  election.elect = written["leaderElect"].flag(true);
  read_duration(written["leaseDuration"], election.lease_duration);
  read_duration(written["renewDeadline"], election.renew_deadline);
  read_duration(written["retryPeriod"], election.retry_period);
  election.renew_period = election.retry_period;
  read_text(written["resourceLock"], election.resource_lock);
  read_text(written["resourceName"], election.resource_name);
  read_text(written["resourceNamespace"], election.resource_namespace);
  return election;
}

ClientConnection client_connection(View written) {
  ClientConnection connection;
  connection.kubeconfig = written["kubeconfig"].text();
  connection.accept_content_types = written["acceptContentTypes"].text();
  read_text(written["contentType"], connection.content_type);
  const View rate = written["qps"];
  if (rate.exists() && rate.value()->is_number() && rate.value()->as_double() != 0) {
    connection.queries_per_second = rate.value()->as_double();
  }
  if (const int64_t burst = written["burst"].integer(); burst != 0) connection.burst = burst;
  return connection;
}

SchedulerConfig config(View root) {
  SchedulerConfig read;
  read.parallelism = static_cast<int32_t>(root["parallelism"].integer(read.parallelism));
  read.leader_election = leader_election(root["leaderElection"]);
  read.client_connection = client_connection(root["clientConnection"]);
  read.percentage_of_nodes_to_score = percentage(root["percentageOfNodesToScore"]).value_or(0);
  read.pod_initial_backoff_seconds =
      root["podInitialBackoffSeconds"].integer(read.pod_initial_backoff_seconds);
  read.pod_max_backoff_seconds = root["podMaxBackoffSeconds"].integer(read.pod_max_backoff_seconds);
  read.delay_cache_until_active = root["delayCacheUntilActive"].flag();
  read.extenders = root["extenders"].size();
  for (const View one : root["profiles"].items()) read.profiles.push_back(profile(one));
  if (read.profiles.empty()) read.profiles.push_back(profile({}));
  // Only one profile may leave out its name.
  const bool named = root["profiles"].item(0)["schedulerName"].exists();
  if (read.profiles.size() == 1 && !named) read.profiles[0].scheduler_name = kDefaultScheduler;
  return read;
}

}  // namespace config_reader

SchedulerConfig default_config() { return config_reader::config({}); }

Result<SchedulerConfig> read_config(std::string_view text) {
  TRY(config_reader::check_kind(text));
  const api::Type* type = config_schema().find_kind(kConfigVersion, config_reader::kKind);
  CHECK(type != nullptr);
  const auto decode = config_reader::is_json(text) ? api::decode_json : api::decode_yaml;
  const api::Decoded decoded = TRY(decode(text, *type, api::FieldValidation::kWarn, nullptr));
  const api::View root = decoded.document.root();
  SchedulerConfig config = config_reader::config(root);
  std::vector<std::string> problems = decoded.warnings;
  TRY(config_reader::read_all_args(root, config, problems));
  if (!problems.empty()) return api::strict_decoding_error(problems);
  api::FieldErrors errors;
  validate_config(config, errors);
  if (errors.empty()) return config;
  return Status(Reason::kInvalid, api::aggregate_text(errors.texts()));
}

}  // namespace proa::scheduler
