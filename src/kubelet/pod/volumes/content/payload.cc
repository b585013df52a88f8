#include "kubelet/pod/volumes/content/payload.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/strings.h"

namespace proa::kubelet {
namespace payload {

constexpr size_t kMostOfPath = 4096;
constexpr size_t kMostOfName = 255;

Status refusal(std::string message) {
  return {Reason::kBadRequest, "invalid path: " + std::move(message)};
}

Result<void> check_path(const std::string& path) {
  if (path.empty()) return refusal("must not be empty: \"\"");
  if (path.front() == '/') return refusal("must be relative path: " + path);
  if (path.size() > kMostOfPath) {
    return refusal(fmt::format("must be less than or equal to {} characters", kMostOfPath));
  }
  if (path.find('\0') != std::string::npos) return refusal("must not contain a zero byte");
  const std::vector<std::string_view> parts = split(path, '/');
  for (const std::string_view part : parts) {
    if (part == "..") return refusal("must not contain '..': " + path);
    if (part.size() > kMostOfName) {
      return refusal(
          fmt::format("filenames must be less than or equal to {} characters", kMostOfName));
    }
  }
  if (parts.front().starts_with("..")) return refusal("must not start with '..': " + path);
  return {};
}

std::string plain(std::string_view path) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(path, '/')) {
    if (!part.empty() && part != ".") parts.push_back(part);
  }
  return join(parts, "/");
}

}  // namespace payload

Result<Payload> checked_payload(const Payload& payload) {
  Payload checked;
  for (const auto& [path, file] : payload) {
    TRY(payload::check_path(path));
    const std::string plain = payload::plain(path);
    // "./..x" starts with dots only after normalization.
    TRY(payload::check_path(plain));
    checked[plain] = file;
  }
  return checked;
}

Status all_failures(const std::vector<Status>& failures) {
  std::vector<std::string> messages;
  for (const Status& failure : failures) {
    if (std::find(messages.begin(), messages.end(), failure.message()) == messages.end()) {
      messages.push_back(failure.message());
    }
  }
  if (messages.size() == 1) return failures.front();
  return {failures.front().reason(), "[" + join(messages, ", ") + "]"};
}

}  // namespace proa::kubelet
