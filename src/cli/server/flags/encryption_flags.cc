#include "cli/server/flags/encryption_flags.h"

#include "cli/command_line/step.h"
#include "cli/host/candidate.h"

namespace proa::cli {
namespace encryption_settings {

// Plugins are often started together with the server.
constexpr Duration kPluginsWithin = std::chrono::minutes(1);

}  // namespace encryption_settings

Flag encryption_config_flag() {
  return {.name = "encryption-provider-config",
          .kind = ValueKind::kFile,
          .word = "FILE",
          .fallback = {},
          .summary = "EncryptionConfiguration: which resources are encrypted on disk, and how"};
}

std::vector<Flag> encryption_flags() {
  return {encryption_config_flag(),
          {.name = "encryption-provider-config-automatic-reload",
           .kind = ValueKind::kSwitch,
           .fallback = "false",
           .summary = "reload that file whenever it changes; one that cannot read what is on disk "
                      "is refused"}};
}

Result<encryption::EncryptionOptions> read_encryption_options(const Settings& settings,
                                                              Files& files) {
  encryption::EncryptionOptions options;
  options.path = settings.text("encryption-provider-config");
  options.reload = settings.on("encryption-provider-config-automatic-reload");
  options.server = host_name();
  if (options.path.empty() && options.reload) {
    return Status(Reason::kInvalid,
                  "--encryption-provider-config-automatic-reload must be set with "
                  "--encryption-provider-config");
  }
  if (options.path.empty()) return options;
  const auto read = encryption::read_configuration(
      files, options.path, options.reload ? encryption::Reload::kOn : encryption::Reload::kOff);
  if (!read.ok()) return read.status().in("--encryption-provider-config");
  return options;
}

Result<std::unique_ptr<encryption::EncryptionAtRest>> open_encryption(const Settings& settings,
                                                                      Files& files, Clock& clock,
                                                                      Random& random,
                                                                      Terminal& terminal) {
  encryption::EncryptionOptions options = TRY(read_encryption_options(settings, files));
  const std::string path = options.path;
  auto opened = TRY(encryption::EncryptionAtRest::open(std::move(options), files, clock, random));
  if (path.empty()) {
    print_step(terminal, "encryption", "off: objects on disk are not encrypted");
    return opened;
  }
  print_step(terminal, "encryption", path);
  const Result<void> ready =
      opened->wait_for_plugins(Until::after(clock, encryption_settings::kPluginsWithin));
  if (!ready.ok()) return ready.status().in("waiting for KMS plugins");
  return opened;
}

void add_encryption(apiserver::ApiServer& api, const encryption::EncryptionAtRest& encryption) {
  api.add_metrics([&encryption] { return encryption.metrics_text(); });
  if (!encryption.has_health()) return;
  api.health().add({.name = "kms-providers",
                    .run = [&encryption] { return encryption.health(); },
                    .scope = apiserver::HealthScope::kReadiness});
}

}  // namespace proa::cli
