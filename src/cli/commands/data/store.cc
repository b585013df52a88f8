#include "cli/commands/data/store.h"

#include <fmt/format.h>

#include "api/schema/builtin.h"
#include "apiserver/objects/stored_check.h"
#include "cli/command_line/output.h"
#include "cli/server/flags/encryption_flags.h"
#include "json/value.h"
#include "store/rocks/inspect.h"
#include "store/rocks/rocks_store.h"

namespace proa::cli {
namespace store_command_unit {

std::string summary_text(const store::StoreSummary& summary) {
  std::string text = fmt::format(
      "store id           {}\n"
      "format             {}\n"
      "revision           {}\n"
      "compacted          {}\n"
      "revision ceiling   {}\n"
      "keys               {}, {} encrypted\n"
      "live data          {}\n"
      "history            {}, {}\n"
      "on disk            {}\n"
      "last shutdown      {}\n",
      summary.id, summary.format, summary.revision.value, summary.compacted.value,
      summary.ceiling.value, summary.keys, summary.sealed, format_bytes(summary.live_bytes),
      counted(summary.history, "change"), format_bytes(summary.history_bytes),
      format_bytes(summary.disk_bytes),
      summary.clean_shutdown ? "clean" : "crash, or never started");
  if (summary.prefixes.empty()) return text;
  size_t width = 6;
  for (const store::PrefixSummary& each : summary.prefixes)
    width = std::max(width, each.prefix.size());
  text += fmt::format("\n{:<{}}  {:>10}  {:>10}\n", "PREFIX", width, "KEYS", "SIZE");
  for (const store::PrefixSummary& each : summary.prefixes) {
    text += fmt::format("{:<{}}  {:>10}  {:>10}\n", each.prefix, width, each.keys,
                        format_bytes(each.bytes));
  }
  return text;
}

json::Value number(uint64_t value) { return json::Value::integer(static_cast<int64_t>(value)); }

json::Document summary_document(const store::StoreSummary& summary) {
  json::Document document;
  json::Arena& arena = document.arena();
  json::Value& root = document.root() = json::Value::object();
  root.set(arena, "id", json::Value::string(arena, summary.id));
  root.set(arena, "format", json::Value::integer(summary.format));
  root.set(arena, "revision", json::Value::integer(summary.revision.value));
  root.set(arena, "compactedRevision", json::Value::integer(summary.compacted.value));
  root.set(arena, "revisionCeiling", json::Value::integer(summary.ceiling.value));
  root.set(arena, "keys", number(summary.keys));
  root.set(arena, "encryptedKeys", number(summary.sealed));
  root.set(arena, "liveBytes", number(summary.live_bytes));
  root.set(arena, "historyChanges", number(summary.history));
  root.set(arena, "historyBytes", number(summary.history_bytes));
  root.set(arena, "diskBytes", number(summary.disk_bytes));
  root.set(arena, "cleanShutdown", json::Value::boolean(summary.clean_shutdown));
  json::Value prefixes = json::Value::array();
  for (const store::PrefixSummary& each : summary.prefixes) {
    json::Value row = json::Value::object();
    row.set(arena, "prefix", json::Value::string(arena, each.prefix));
    row.set(arena, "keys", number(each.keys));
    row.set(arena, "bytes", number(each.bytes));
    prefixes.push_back(arena, std::move(row));
  }
  root.set(arena, "prefixes", std::move(prefixes));
  return document;
}

Result<void> inspect(const Invocation& invocation, Terminal& terminal) {
  const store::StoreSummary summary = TRY(store::inspect_store(invocation.arguments.front()));
  const std::string& output = invocation.settings.text("output");
  terminal.out(output == "text" ? summary_text(summary)
                                : format_value(summary_document(summary).root(), output));
  return {};
}

Status errors_found(const std::string& directory, size_t count) {
  return {Reason::kInternalError, fmt::format("{}: {} found", directory, counted(count, "error"))};
}

// Rewrites the objects that clients could not read. Returns how many could not be repaired.
Result<size_t> repair(const std::string& directory, const store::RocksOptions& options,
                      Terminal& terminal) {
  SystemClock clock;
  SystemRandom random;
  const std::unique_ptr<store::Store> store =
      TRY(store::open_rocks_store(directory, clock, random, options));
  const api::Schema& schema = api::builtin_schema();
  size_t left = 0;
  const store::RangeResult all =
      TRY(store->range({.keys = store::KeyRange::prefix("/"), .revision = {}}));
  for (const store::EntryPtr& entry : all.entries) {
    const std::optional<std::string> problem = apiserver::stored_problem(*entry, schema);
    if (!problem) continue;
    Result<apiserver::StoredText> text = apiserver::repaired_text(*entry, schema);
    if (!text) {
      terminal.out(*problem + "; not repaired: " + text.status().message() + "\n");
      ++left;
      continue;
    }
    store::Txn txn;
    txn.compares.push_back({std::string(entry->key()), entry->mod_revision()});
    std::optional<Duration> ttl;
    if (entry->expiry()) ttl = std::max(*entry->expiry() - clock.now(), Duration::zero());
    txn.operations.push_back(store::Put{.key = std::string(entry->key()),
                                        .value = Bytes(std::move(text->json)),
                                        .ttl = ttl,
                                        .stamp_at = text->stamp_at});
    TRY(store->commit(std::move(txn), store::Durability::kSynced));
    terminal.out(*problem + "; repaired\n");
  }
  return left;
}

Result<void> check(const Invocation& invocation, Terminal& terminal) {
  const std::string& directory = invocation.arguments.front();
  SystemFiles files;
  SystemClock clock;
  SystemRandom random;
  std::unique_ptr<encryption::EncryptionAtRest> encryption;
  store::RocksOptions options;
  // Without keys, encrypted values are verified by their checksums only.
  if (!invocation.settings.text("encryption-provider-config").empty()) {
    encryption = TRY(encryption::EncryptionAtRest::open(
        {.path = invocation.settings.text("encryption-provider-config")}, files, clock, random));
    options.transformer = encryption->transformer();
  }
  const auto look = [](const store::Entry& entry) {
    return apiserver::stored_problem(entry, api::builtin_schema());
  };
  const store::StoreProblems found =
      TRY(store::check_store(directory, look, options.transformer.get()));
  if (found.sealed > 0) {
    terminal.out(fmt::format(
        "{}: {} not decrypted, only verified by checksum; pass the --encryption-provider-config "
        "they were written with to check them, too\n",
        directory, counted(found.sealed, "encrypted value")));
  }
  if (found.empty()) {
    terminal.out(directory + ": no errors found\n");
    return {};
  }
  for (const std::string& complaint : found.damage) terminal.out(complaint + "\n");
  if (!found.damage.empty()) return errors_found(directory, found.damage.size());
  if (invocation.settings.on("repair")) {
    const size_t left = TRY(repair(directory, options, terminal));
    if (left > 0) return errors_found(directory, left);
    return {};
  }
  for (const std::string& complaint : found.entries) {
    terminal.out(complaint + "; repair it with `proa store check --repair " + directory + "`\n");
  }
  return errors_found(directory, found.entries.size());
}

Result<void> compact(const Invocation& invocation, Terminal& terminal) {
  const store::CompactionSummary summary = TRY(store::compact_store(invocation.arguments.front()));
  terminal.out(fmt::format("{} history entries dropped; disk usage {} before, {} after\n",
                           summary.history_dropped, format_bytes(summary.bytes_before),
                           format_bytes(summary.bytes_after)));
  return {};
}

Argument directory() { return {.word = "DIR", .kind = ValueKind::kFolder, .choices = {}}; }

}  // namespace store_command_unit

Command store_command() {
  using namespace store_command_unit;
  return {.name = "store",
          .summary = "Inspect, check or compact the store while Proa is stopped.",
          .description = "DIR is the store's directory: 'store' in the data directory.",
          .commands = {
              {.name = "inspect",
               .summary = "Show revisions, sizes and keys by prefix. Read-only.",
               .arguments = {directory()},
               .flags = {output_flag()},
               .run = inspect},
              {.name = "check",
               .summary = "Verify all checksums, records and the kinds of objects.",
               .description = "Read-only, unless --repair is given.",
               .arguments = {directory()},
               .flags = {{.name = "repair",
                          .kind = ValueKind::kSwitch,
                          .fallback = "false",
                          .summary = "restore the kind and apiVersion of objects that lost them"},
                         encryption_config_flag()},
               .run = check},
              {.name = "compact",
               .summary = "Drop the history and free its disk space.",
               .arguments = {directory()},
               .run = compact},
          }};
}

}  // namespace proa::cli
