#include "tools/examples/demo/narrator.h"

#include <fmt/format.h>

#include <algorithm>

namespace holdfast::demo {
namespace {

constexpr std::size_t kBarWidth = 40;
constexpr auto kPlainEvery = std::chrono::seconds(2);

}  // namespace

std::string grouped(std::size_t number) {
  if (number < 1000) return std::to_string(number);
  return fmt::format("{},{:03}", grouped(number / 1000), number % 1000);
}

void Narrator::say(const std::string& line) {
  erase();
  out_ << line << '\n';
  draw();
  out_.flush();
}

void Narrator::show(const std::vector<Bar>& bars) {
  erase();
  bars_ = bars;
  draw();
  const auto now = std::chrono::steady_clock::now();
  if (!screen_.is_terminal() && now - last_plain_ >= kPlainEvery) {
    last_plain_ = now;
    print_plain();
  }
  out_.flush();
}

void Narrator::settle() {
  if (!screen_.is_terminal() && !bars_.empty()) print_plain();
  bars_.clear();
  drawn_ = 0;
}

void Narrator::print_plain() {
  std::string line = " ";
  for (const Bar& bar : bars_)
    line += fmt::format(" {} {} of {}", bar.label, grouped(bar.value), grouped(bar.total));
  out_ << line << '\n';
}

void Narrator::draw() {
  if (!screen_.is_terminal()) return;
  for (const auto& [label, value, total] : bars_) {
    const std::size_t filled = total == 0 ? kBarWidth : std::min(value, total) * kBarWidth / total;
    std::string bar;
    for (std::size_t i = 0; i < kBarWidth; ++i) bar += i < filled ? "█" : "░";
    out_ << fmt::format("  {:<10} {} {:>7} of {}\n", label, bar, grouped(value), grouped(total));
  }
  drawn_ = bars_.size();
}

void Narrator::erase() {
  for (; drawn_ > 0; --drawn_) out_ << "\x1b[1A\x1b[2K";
}

}  // namespace holdfast::demo
