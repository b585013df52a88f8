#include "api/apply/managed/entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "api/apply/fields/fields_v1.h"
#include "api/object/view.h"
#include "api/validation/go_text.h"
#include "json/print.h"

namespace proa::api {
namespace entries {

constexpr std::string_view kAncient = "ancient-changes";

Status malformed(std::string message) { return {Reason::kBadRequest, std::move(message)}; }

int64_t seconds(const ManagedEntry& entry) {
  if (!entry.time) return 0;
  return std::chrono::floor<std::chrono::seconds>(entry.time->time_since_epoch()).count();
}

Result<ManagedEntry> decode(View entry, size_t index, json::Arena& arena) {
  const std::string_view operation = entry["operation"].text();
  if (operation != "Apply" && operation != "Update")
    return malformed("operation must be `Apply` or `Update`");
  if (entry["apiVersion"].text().empty()) return malformed("apiVersion must not be empty");
  const std::string_view type = entry["fieldsType"].text();
  if (type.empty())
    return malformed(fmt::format("missing fieldsType in managed fields entry {}", index));
  if (type != "FieldsV1") {
    return malformed(
        fmt::format("invalid fieldsType {} in managed fields entry {}", quoted(type), index));
  }
  ManagedEntry made{.manager = std::string(entry["manager"].text()),
                    .applied = operation == "Apply",
                    .api_version = std::string(entry["apiVersion"].text()),
                    .subresource = std::string(entry["subresource"].text()),
                    .time = std::nullopt,
                    .fields = {}};
  if (entry["time"]) made.time = TRY(parse_time(entry["time"].text()));
  if (entry["fieldsV1"]) made.fields = TRY(parse_fields_v1(*entry["fieldsV1"].value(), arena));
  return made;
}

}  // namespace entries

std::string ManagedEntry::identity() const {
  std::string text = "{";
  const auto add = [&](std::string_view key, std::string_view value) {
    if (value.empty()) return;
    if (text.size() > 1) text += ',';
    text += fmt::format("\"{}\":", key);
    json::print_string_to(text, value);
  };
  add("manager", manager);
  add("operation", applied ? "Apply" : "Update");
  if (!applied) add("apiVersion", api_version);
  add("subresource", subresource);
  return text + "}";
}

ManagedEntry* find_manager(ManagedEntries& entries, const ManagedEntry& like) {
  const auto found = std::ranges::find_if(
      entries, [&](const ManagedEntry& entry) { return entry.same_manager(like); });
  return found == entries.end() ? nullptr : &*found;
}

bool is_reset_of_managers(const json::Value* managed_fields) {
  if (managed_fields == nullptr || !managed_fields->is(json::Kind::kArray)) return false;
  const auto items = managed_fields->items();
  return items.empty() || (items.size() == 1 && items[0].size() == 0);
}

Result<ManagedEntries> decode_managers(const json::Value* managed_fields, json::Arena& arena) {
  ManagedEntries entries;
  if (managed_fields == nullptr) return entries;
  const auto items = managed_fields->items();
  entries.reserve(items.size() + 1);
  // By identity once there are many: a list of that length is no server's, but may be a client's.
  constexpr size_t kFew = 64;
  for (size_t i = 0; i < items.size(); ++i) {
    ManagedEntry entry = TRY(entries::decode(items[i], i, arena));
    if (items.size() <= kFew) {
      // The last of the same manager counts.
      ManagedEntry* same = find_manager(entries, entry);
      if (same != nullptr) {
        *same = std::move(entry);
        continue;
      }
    }
    entries.push_back(std::move(entry));
  }
  if (items.size() <= kFew) return entries;
  const auto key = [](const ManagedEntry& entry) { return entry.identity(); };
  std::ranges::stable_sort(entries, {}, key);
  ManagedEntries unique;
  for (ManagedEntry& entry : entries) {
    if (!unique.empty() && unique.back().same_manager(entry)) unique.pop_back();
    unique.push_back(std::move(entry));
  }
  return unique;
}

json::Value encode_manager(const ManagedEntry& entry, json::Arena& arena) {
  json::Value out = json::Value::object();
  const auto text = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) out.set_borrowed(arena, key, json::Value::string(arena, value));
  };
  text("manager", entry.manager);
  text("operation", entry.applied ? "Apply" : "Update");
  text("apiVersion", entry.api_version);
  if (entry.time) text("time", format_time(*entry.time));
  text("fieldsType", "FieldsV1");
  out.set_borrowed(arena, "fieldsV1", to_fields_v1(entry.fields, arena));
  text("subresource", entry.subresource);
  return out;
}

json::Value encode_managers(const ManagedEntries& entries, json::Arena& arena) {
  if (entries.empty()) return {};
  std::vector<const ManagedEntry*> sorted;
  for (const ManagedEntry& entry : entries) sorted.push_back(&entry);
  std::ranges::sort(sorted, [](const ManagedEntry* a, const ManagedEntry* b) {
    const auto key = [](const ManagedEntry& entry) {
      return std::tuple(!entry.applied, entries::seconds(entry), std::string_view(entry.manager),
                        std::string_view(entry.api_version), std::string_view(entry.subresource));
    };
    return key(*a) < key(*b);
  });
  json::Value list = json::Value::array();
  for (const ManagedEntry* entry : sorted) list.push_back(arena, encode_manager(*entry, arena));
  return list;
}

// As upstream's capUpdateManagers: an entry that is alone in its version keeps its name.
void cap_updaters(ManagedEntries& entries, FieldSetMaker& make) {
  std::vector<std::tuple<int64_t, std::string, ManagedEntry>> sorted;
  for (const ManagedEntry& entry : entries) {
    if (!entry.applied) sorted.emplace_back(entries::seconds(entry), entry.identity(), entry);
  }
  if (sorted.size() <= kMaxUpdaters) return;
  std::ranges::sort(sorted, {}, [](const auto& one) {
    return std::pair(std::get<0>(one), std::string_view(std::get<1>(one)));
  });
  const auto erase = [&](const ManagedEntry& gone) {
    std::erase_if(entries, [&](const ManagedEntry& entry) { return entry.same_manager(gone); });
  };
  std::vector<ManagedEntry> first;  // of each version
  size_t count = sorted.size();
  for (size_t i = 0; i < sorted.size() && count > kMaxUpdaters; ++i) {
    const ManagedEntry& oldest = std::get<2>(sorted[i]);
    const auto seen = std::ranges::find(first, oldest.api_version, &ManagedEntry::api_version);
    if (seen == first.end()) {
      first.push_back(oldest);
      continue;
    }
    ManagedEntry bucket{.manager = std::string(entries::kAncient),
                        .applied = false,
                        .api_version = oldest.api_version,
                        .subresource = {},
                        .time = oldest.time,
                        .fields = {}};
    const ManagedEntry* present = find_manager(entries, bucket);
    const FieldSet before = present != nullptr ? present->fields : seen->fields;
    erase(present != nullptr ? bucket : *seen);
    bucket.fields = make.unite(oldest.fields, before);
    erase(oldest);
    entries.push_back(bucket);
    --count;
  }
}

}  // namespace proa::api
