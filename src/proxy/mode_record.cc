#include "proxy/mode_record.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/log.h"
#include "base/strings.h"
#include "proxy/iptables/iptables_rules.h"
#include "proxy/nftables/nftables_rules.h"
#include "proxy/options.h"

namespace proa::proxy {
namespace mode_record {

const Log kLog{"proxy"};
constexpr size_t kMost = 64;

Result<void> remove_rules(Mode mode, Clock& clock) {
  const auto rules = open_rules(mode, clock);
  // Without its programs there are none.
  if (rules.is(Reason::kNotFound)) return {};
  if (!rules) return rules.status();
  return (*rules)->remove();
}

}  // namespace mode_record

Result<std::unique_ptr<Rules>> open_rules(Mode mode, Clock& clock) {
  if (mode == Mode::kNftables) {
    const std::vector<Family> families = TRY(nftables::usable_families(clock));
    return std::unique_ptr<Rules>(TRY(nftables::NftablesRules::open(clock, families)));
  }
  TRY(iptables::check_programs());
  return iptables::make_rules(clock);
}

// Words that name no mode are passed over.
std::vector<Mode> ModeRecord::read() const {
  std::vector<Mode> modes;
  const Result<std::string> text = files_.read_file(path_, mode_record::kMost);
  if (!text) return modes;
  for (const std::string_view line : split(*text, '\n')) {
    const Result<Mode> mode = parse_mode(trim(line));
    if (mode && std::find(modes.begin(), modes.end(), *mode) == modes.end()) {
      modes.push_back(*mode);
    }
  }
  return modes;
}

Result<void> ModeRecord::write() const {
  std::string text;
  for (const Mode mode : modes_) text += fmt::format("{}\n", name_of(mode));
  return files_.write_file_atomic(path_, text, 0644);
}

Result<void> ModeRecord::begin(Mode mode) {
  modes_ = read();
  std::erase(modes_, mode);
  modes_.insert(modes_.begin(), mode);
  return write();
}

void ModeRecord::remove_former() {
  if (modes_.size() < 2) return;
  const Mode current = modes_.front();
  std::erase_if(modes_, [&](Mode mode) {
    if (mode == current) return false;
    const Result<void> removed = mode_record::remove_rules(mode, clock_);
    if (!removed) {
      mode_record::kLog.error("rules of the former mode stay",
                              {{"mode", name_of(mode)}, {"error", removed.status()}});
      return false;
    }
    mode_record::kLog.info("rules of the former mode are removed", {{"mode", name_of(mode)}});
    return true;
  });
  if (const Result<void> written = write(); !written) {
    mode_record::kLog.error("the record of modes is behind", {{"error", written.status()}});
  }
}

Result<bool> ModeRecord::remove_all() {
  const std::vector<Mode> modes = read();
  for (const Mode mode : modes) TRY(mode_record::remove_rules(mode, clock_));
  if (!modes.empty()) TRY(files_.remove(path_));
  return !modes.empty();
}

std::string mode_record_path(const std::string& folder) {
  struct stat place {};
  if (::stat("/proc/thread-self/ns/net", &place) != 0) return folder + "/proa-proxy.mode";
  return fmt::format("{}/proa-proxy-{}.mode", folder, place.st_ino);
}

}  // namespace proa::proxy
