#include "server/alerts/webhook_writer.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include "server/alerts/event_fields.h"

namespace holdfast::server {
namespace {

constexpr std::size_t kSlackBatch = 20;  // how many attachments of one message Slack still shows well

Result<std::string> read_file(const std::string& option, const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (file) return std::string(std::istreambuf_iterator<char>(file), {});
  return fail(ErrorCode::kInvalidArgument,
              option + ": " + path.string() + ": " + std::system_category().message(errno));
}

// Checks that an option is given if and only if its shape, which needs it, is chosen.
Result<void> check_belongs(const std::string& option, bool given, const std::string& shape, bool wanted) {
  if (given == wanted) return {};
  const std::string name = "alert-webhook-shape " + shape;
  return fail(ErrorCode::kInvalidArgument,
              option + (wanted ? " is missing: " + name + " needs it" : " is only for " + name));
}

Json json_shape(std::span<const Event> events, std::uint64_t dropped) {
  Json list = Json::array();
  for (const Event& event : events) list.push_back(event_fields(event));
  return {{"events", std::move(list)}, {"dropped", dropped}};
}

// Escapes the three characters that Slack uses for its own markup.
std::string slack_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') {
      escaped += "&amp;";
    } else if (c == '<') {
      escaped += "&lt;";
    } else if (c == '>') {
      escaped += "&gt;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

const char* slack_color(const Event& event) {
  if (event.kind == EventKind::kRuleCleared) return "good";
  const bool critical = event.alert && event.alert->severity == AlertSeverity::kCritical;
  return critical ? "danger" : "warning";
}

Json slack_attachment(const Event& event) {
  const std::string text = slack_text(summary(event));
  Json attachment{{"color", slack_color(event)},
                  {"fallback", text},
                  {"text", text},
                  {"ts", event.time.time_since_epoch() / std::chrono::seconds(1)}};
  if (!event.tags.empty()) attachment["footer"] = slack_text(tags_text(event.tags));
  return attachment;
}

Json slack_shape(std::span<const Event> events) {
  Json attachments = Json::array();
  for (const Event& event : events) attachments.push_back(slack_attachment(event));
  return {{"attachments", std::move(attachments)}};
}

std::string host_name() {
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "holdfast";
  return name.data();
}

// Returns the key of an incident. A queue's number stays when the server is restarted, and fits into the key,
// which its name might not.
std::string incident_key(const Event& event) {
  if (event.kind == EventKind::kMissed) return "holdfast/events";
  return "holdfast/" + std::to_string(static_cast<std::uint64_t>(event.queue_id)) + "/" + event.text;
}

Json pager_duty_shape(const Event& event, const Json& fields, const std::string& key) {
  if (event.kind == EventKind::kRuleCleared)
    return {{"routing_key", key}, {"event_action", "resolve"}, {"dedup_key", incident_key(event)}};
  const bool critical = event.alert && event.alert->severity == AlertSeverity::kCritical;
  return {{"routing_key", key},
          {"event_action", "trigger"},
          {"dedup_key", incident_key(event)},
          {"client", "Holdfast"},
          {"payload",
           {{"summary", summary(event)},
            {"source", host_name()},
            {"severity", critical ? "critical" : "warning"},
            {"timestamp", fields.at("time")},
            {"component", event.queue},
            {"class", event.text},
            {"custom_details", fields}}}};
}

// Makes an event of the dropped ones, for shapes that have no other place for them.
Event missed(const WebhookWriter::Dropped& dropped) {
  return {.kind = EventKind::kMissed, .time = dropped.at, .count = dropped.count};
}

}  // namespace

Result<WebhookWriter> WebhookWriter::make(const WebhookOptions& options) {
  WebhookWriter writer;
  writer.shape_ = options.shape;
  const bool pages = options.shape == WebhookShape::kPagerDuty;
  const bool fills = options.shape == WebhookShape::kTemplate;
  if (auto ok = check_belongs("alert-webhook-key", !options.key.empty(), "pagerduty", pages); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = check_belongs("alert-webhook-template", !options.template_file.empty(), "template", fills);
      !ok)
    return tl::unexpected(ok.error());
  if (pages && options.deaths) {
    return fail(
        ErrorCode::kInvalidArgument,
        "alert-webhook-deaths: a death cannot be a PagerDuty incident, since nothing would resolve it");
  }
  if (options.shape == WebhookShape::kJson) writer.batch_ = options.batch;
  if (options.shape == WebhookShape::kSlack) writer.batch_ = std::min(options.batch, kSlackBatch);
  if (pages) {
    const auto text = read_file("alert-webhook-key", options.key);
    if (!text) return tl::unexpected(text.error());
    writer.key_ = text->substr(0, text->find_first_of(" \t\r\n"));
    if (writer.key_.empty())
      return fail(ErrorCode::kInvalidArgument, "alert-webhook-key: " + options.key.string() + " is empty");
  }
  if (fills) {
    const auto text = read_file("alert-webhook-template", options.template_file);
    if (!text) return tl::unexpected(text.error());
    auto parsed = AlertTemplate::parse(*text);
    if (!parsed) {
      return fail(parsed.error().code, "alert-webhook-template: " + options.template_file.string() + ": " +
                                           parsed.error().message);
    }
    writer.template_ = *std::move(parsed);
  }
  return writer;
}

// PagerDuty takes no details of an incident that is resolved.
bool WebhookWriter::tells_dropped(std::span<const Event> events) const {
  return shape_ != WebhookShape::kPagerDuty || events.empty() ||
         events.front().kind != EventKind::kRuleCleared;
}

std::string WebhookWriter::write(std::span<const Event> events, const Dropped& dropped) const {
  if (shape_ == WebhookShape::kJson) return dump_json(json_shape(events, dropped.count));
  std::vector<Event> told(events.begin(), events.end());
  if (shape_ == WebhookShape::kSlack) {
    if (dropped.count > 0) told.push_back(missed(dropped));
    return dump_json(slack_shape(told));
  }
  const Event event = told.empty() ? missed(dropped) : std::move(told.front());
  Json fields = event_fields(event);
  fields["dropped"] = dropped.count;
  return dump_json(shape_ == WebhookShape::kPagerDuty ? pager_duty_shape(event, fields, key_)
                                                      : template_->fill(fields));
}

}  // namespace holdfast::server
