#include "cli/backup/manifest.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/encoding.h"
#include "base/strings.h"
#include "base/utf8.h"
#include "cli/backup/volumes.h"
#include "cli/command_line/output.h"
#include "json/parse.h"

namespace proa::cli {
namespace manifest {

constexpr int64_t kFormat = 1;
// The size of the name field in an archive header.
constexpr size_t kMaxNameBytes = 99;

Status invalid(std::string_view why) {
  return {Reason::kInvalid, fmt::format("{}: {}", kManifestName, why)};
}

Result<std::string> text_at(const json::Value& object, std::string_view key) {
  const json::Value* found = object.find(key);
  if (found == nullptr || !found->is(json::Kind::kString)) {
    return invalid(fmt::format("\"{}\" is missing or not a string", key));
  }
  return std::string(found->as_string());
}

Result<int64_t> number_at(const json::Value& object, std::string_view key) {
  const json::Value* found = object.find(key);
  if (found == nullptr || !found->is(json::Kind::kInt) || found->as_int() < 0) {
    return invalid(fmt::format("\"{}\" is missing or not a number", key));
  }
  return found->as_int();
}

Result<BackupFile> read_file(const json::Value& object) {
  BackupFile file;
  file.name = TRY(text_at(object, "name"));
  if (!is_backup_name(file.name)) {
    return invalid(fmt::format("\"{}\" is not a file of a backup", file.name));
  }
  const int64_t size = TRY(number_at(object, "size"));
  file.size = static_cast<uint64_t>(size);
  file.sha256 = TRY(text_at(object, "sha256"));
  if (file.sha256.size() != 64 || !from_hex(file.sha256)) {
    return invalid("the checksum of " + file.name + " is malformed");
  }
  return file;
}

bool is_plain(std::string_view part) {
  return !part.empty() && part != "." && part != ".." && is_utf8(part) &&
         std::ranges::none_of(part, [](char c) {
           return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || c == '\\';
         });
}

}  // namespace manifest

uint64_t Manifest::bytes() const {
  uint64_t bytes = 0;
  for (const BackupFile& file : files) bytes += file.size;
  return bytes;
}

std::string print_manifest(const Manifest& manifest) {
  json::Document document;
  json::Arena& arena = document.arena();
  json::Value& root = document.root() = json::Value::object();
  root.set(arena, "format", json::Value::integer(manifest::kFormat));
  root.set(arena, "version", json::Value::string(arena, manifest.version));
  root.set(arena, "revision", json::Value::integer(manifest.revision));
  root.set(arena, "time", json::Value::string(arena, manifest.time));
  json::Value files = json::Value::array();
  for (const BackupFile& file : manifest.files) {
    json::Value item = json::Value::object();
    item.set(arena, "name", json::Value::string(arena, file.name));
    item.set(arena, "size", json::Value::integer(static_cast<int64_t>(file.size)));
    item.set(arena, "sha256", json::Value::string(arena, file.sha256));
    files.push_back(arena, std::move(item));
  }
  root.set(arena, "files", std::move(files));
  return format_value(root, "json");
}

Result<Manifest> parse_manifest(std::string_view text) {
  const auto document = json::parse(text, {.max_size = kMaxManifestBytes, .max_depth = 8});
  if (!document) return manifest::invalid(document.status().message());
  const json::Value& root = document->root();
  const int64_t format = TRY(manifest::number_at(root, "format"));
  if (format != manifest::kFormat) {
    return manifest::invalid(
        fmt::format("the backup has format {}, this version reads format {}: use the version of "
                    "proa that wrote it",
                    format, manifest::kFormat));
  }
  Manifest read;
  read.version = TRY(manifest::text_at(root, "version"));
  read.revision = TRY(manifest::number_at(root, "revision"));
  read.time = TRY(manifest::text_at(root, "time"));
  const json::Value* files = root.find("files");
  if (files == nullptr || !files->is(json::Kind::kArray)) {
    return manifest::invalid("\"files\" is missing");
  }
  std::set<std::string, std::less<>> names;
  for (const json::Value& item : files->items()) {
    BackupFile file = TRY(manifest::read_file(item));
    if (!names.insert(file.name).second) return manifest::invalid("lists " + file.name + " twice");
    read.files.push_back(std::move(file));
  }
  if (!names.contains("store/STORE")) return manifest::invalid("it contains no store");
  return read;
}

bool is_backup_name(std::string_view name) {
  if (name == kKubeconfigName || is_volume_part(name)) return true;
  if (name.size() > manifest::kMaxNameBytes) return false;
  const std::vector<std::string_view> parts = split(name, '/');
  return parts.size() > 1 && (parts.front() == "store" || parts.front() == "tls") &&
         std::ranges::all_of(parts, manifest::is_plain);
}

mode_t mode_of(std::string_view name) {
  return name.ends_with(".crt") || name.ends_with(".pub") ? 0644 : 0600;
}

}  // namespace proa::cli
