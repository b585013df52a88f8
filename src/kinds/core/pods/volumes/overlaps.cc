#include "kinds/core/pods/volumes/overlaps.h"

#include <fmt/format.h>

#include <optional>
#include <set>

#include "api/validation/go_text.h"

namespace proa::kinds::pods {

namespace overlaps {

// What provides files: `ConfigMap "web"`. Its name may be as long as the object, so that it is
// worded for a warning only.
struct Source {
  std::string_view kind;
  std::string_view name = {};

  std::string str() const {
    return name.data() == nullptr ? std::string(kind)
                                  : fmt::format("{} {}", kind, api::quoted(name));
  }
};

Source named(std::string_view kind, View name) {
  // An absent name is shown as an empty one.
  return {kind, name.exists() ? name.text() : std::string_view("")};
}

struct File {
  std::string path;
  std::optional<Source> source;  // nullopt if the message already has it

  std::string str() const {
    if (!source) return api::quoted(path);
    return fmt::format("{} ({})", api::quoted(path), source->str());
  }
};

// Files in their given order, indexed by path.
class Folder {
 public:
  // Reports each earlier file that conflicts.
  template <typename Report>
  void add(File file, Report report) {
    while (file.path.ends_with('/')) file.path.pop_back();
    if (!file.path.empty() && file.path.size() <= kMaxPath) {
      const std::string start = file.path + "/";
      // The same path, and files below it.
      auto found = by_path_.lower_bound({start, 0});
      size_t left = kMaxReported;
      for (; found != by_path_.end() && found->first.starts_with(start) && left > 0;
           ++found, --left)
        report(file, files_[found->second]);
      // Files where this one needs a directory.
      size_t levels = 0;
      for (size_t slash = start.find('/'); slash + 1 < start.size() && levels < kMaxLevels;
           slash = start.find('/', slash + 1), ++levels) {
        const std::string above = start.substr(0, slash + 1);
        found = by_path_.lower_bound({above, 0});
        for (; found != by_path_.end() && found->first == above && left > 0; ++found, --left)
          report(file, files_[found->second]);
      }
      by_path_.insert({start, files_.size()});
    }
    files_.push_back(std::move(file));
  }

 private:
  // The maximum length of a path.
  static constexpr size_t kMaxPath = 4096;
  // Directories above a file that are looked up.
  static constexpr size_t kMaxLevels = 32;
  // Bounds the number of warnings for a volume with thousands of equal paths.
  static constexpr size_t kMaxReported = 8;

  std::vector<File> files_;
  std::set<std::pair<std::string, size_t>> by_path_;  // with a slash at the end
};

std::vector<File> files_of(View items, std::optional<Source> source) {
  std::vector<File> files;
  for (const View item : items.items()) files.push_back({std::string(item["path"].text()), source});
  return files;
}

void warn_about_volume(std::string_view name, const Source& source, const std::vector<File>& files,
                       Warnings& warnings) {
  Folder folder;
  for (const File& file : files) {
    if (warnings.full()) return;
    folder.add(file, [&](const File& now, const File& before) {
      if (warnings.full()) return;
      warnings.push_back(fmt::format("volume {} ({}): overlapping paths: {} with {}",
                                     api::quoted(name), source.str(), now.str(), before.str()));
    });
  }
}

void append(std::vector<File>& files, std::vector<File> more) {
  for (File& file : more) files.push_back(std::move(file));
}

void warn_about_projection(View volume, Warnings& warnings) {
  std::vector<File> files;
  for (const View source : volume["projected"]["sources"].items()) {
    if (source.empty()) {
      warnings.push_back(fmt::format("volume {} (Projected) has no sources provided",
                                     api::quoted(volume["name"].text())));
    } else if (const View config = source["configMap"]; !config["items"].empty()) {
      append(files, files_of(config["items"], named("ConfigMap", config["name"])));
    } else if (const View secret = source["secret"]; !secret["items"].empty()) {
      append(files, files_of(secret["items"], named("Secret", secret["name"])));
    } else if (const View downward = source["downwardAPI"]; !downward["items"].empty()) {
      append(files, files_of(downward["items"], Source{"DownwardAPI"}));
    } else if (const View token = source["serviceAccountToken"]; token.exists()) {
      files.push_back({std::string(token["path"].text()), Source{"ServiceAccountToken"}});
    }
  }
  warn_about_volume(volume["name"].text(), {"Projected"}, files, warnings);
}

}  // namespace overlaps

void warn_about_overlaps(View volumes, Warnings& warnings) {
  for (const View volume : volumes.items()) {
    const std::string_view name = volume["name"].text();
    const auto warn = [&](View provider, const overlaps::Source& source) {
      overlaps::warn_about_volume(name, source, overlaps::files_of(provider["items"], {}),
                                  warnings);
    };
    if (const View config = volume["configMap"]; config.exists())
      warn(config, overlaps::named("ConfigMap", config["name"]));
    if (const View secret = volume["secret"]; secret.exists())
      warn(secret, overlaps::named("Secret", secret["secretName"]));
    if (const View downward = volume["downwardAPI"]; downward.exists())
      warn(downward, {"DownwardAPI"});
    if (volume["projected"].exists()) overlaps::warn_about_projection(volume, warnings);
  }
}

}  // namespace proa::kinds::pods
