#pragma once

#include <map>
#include <string>

#include "kubelet/host/cgroups/hierarchy.h"

namespace proa::kubelet {

// An in-memory cgroup hierarchy: each folder has the files that the kernel would create, and no
// others can be written.
class FakeHierarchy final : public Hierarchy {
 public:
  using Content = std::map<std::string, std::string, std::less<>>;

  explicit FakeHierarchy(Content made, Content root = {}) : made_(std::move(made)) {
    folders_[""] = root.empty() ? made_ : std::move(root);
  }

  bool has(const std::string& path) const { return folders_.contains(path); }
  size_t size() const { return folders_.size() - 1; }
  // Empty if it does not exist.
  std::string get(const std::string& path, std::string_view file) {
    auto content = read(path, file);
    return content ? *content : "";
  }
  void put(const std::string& path, std::string_view file, std::string text) {
    folders_[path][std::string(file)] = std::move(text);
  }
  int writes() const { return writes_; }

  Result<bool> make(const std::string& path) override {
    const size_t slash = path.rfind('/');
    if (!has(slash == std::string::npos ? "" : path.substr(0, slash))) return missing(path);
    return folders_.try_emplace(path, made_).second;
  }
  Result<void> remove(const std::string& path) override {
    if (!has(path)) return missing(path);
    if (!children(path)->empty() || !get(path, "cgroup.procs").empty())
      return Status(Reason::kConflict, path + " is in use");
    folders_.erase(path);
    return {};
  }
  Result<std::vector<std::string>> children(const std::string& path) override {
    if (!has(path)) return missing(path);
    const std::string prefix = path.empty() ? "" : path + "/";
    std::vector<std::string> names;
    for (const auto& [name, content] : folders_) {
      if (name.size() > prefix.size() && name.starts_with(prefix) &&
          name.find('/', prefix.size()) == std::string::npos)
        names.push_back(name.substr(prefix.size()));
    }
    return names;
  }
  Result<std::string> read(const std::string& path, std::string_view file) override {
    if (!has(path)) return missing(path);
    const Content& folder = folders_.at(path);
    const auto found = folder.find(file);
    if (found == folder.end()) return missing(path + "/" + std::string(file));
    return found->second;
  }
  Result<void> write(const std::string& path, std::string_view file,
                     std::string_view text) override {
    if (auto now = read(path, file); !now) return now.status();
    folders_[path][std::string(file)] = std::string(text);
    ++writes_;
    return {};
  }

 private:
  static Status missing(const std::string& path) {
    return {Reason::kNotFound, path + ": no such file or directory"};
  }

  const Content made_;
  std::map<std::string, Content> folders_;
  int writes_ = 0;
};

}  // namespace proa::kubelet
