// Asking the gateway. Every failure becomes an Error whose message can be shown.

import { t } from "./texts.js";

export class ApiError extends Error {
  constructor(status, message, fix) {
    super(fix ? `${message} ${fix}` : message);
    this.status = status;
  }
}

export async function call(method, path, body) {
  const options = { method, headers: {}, credentials: "same-origin" };
  if (body !== undefined) {
    options.headers["Content-Type"] = "application/json";
    options.body = JSON.stringify(body);
  }
  let response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new ApiError(0, t("no.connection"), "");
  }
  const answer = await response.json().catch(() => ({}));
  if (!response.ok) {
    const error = answer.error || {};
    throw new ApiError(response.status, error.message || `HTTP ${response.status}`, error.fix || "");
  }
  return answer;
}

/** Send a file as it is to an agent; `progress` gets a share from 0 to 1. */
export function upload(file, agent, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", `/api/attachments?name=${encodeURIComponent(file.name || "file")}&agent=${agent}`);
    request.setRequestHeader("Content-Type", file.type || "application/octet-stream");
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onerror = () => reject(new ApiError(0, t("no.connection"), ""));
    request.onload = () => {
      let answer = {};
      try { answer = JSON.parse(request.responseText); } catch { /* not JSON: the status speaks */ }
      if (request.status < 300) resolve(answer);
      else {
        const error = answer.error || {};
        reject(new ApiError(request.status, error.message || `HTTP ${request.status}`, error.fix || ""));
      }
    };
    request.send(file);
  });
}
